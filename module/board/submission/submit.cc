// The way of a submission: it is decided, then applied.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/memory_guarantee.h"
#include "board/results/board_results.h"
#include "board/submission/judge.h"
#include "board/submission/lookup.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

Time Board::moment_of(const Submission& submission) {
  return submission.at ? given_moment(*submission.at) : context_.timestamps.next();
}

inline void Board::touched(const Decision& decision) {
  const std::optional<EngineRow>& held = decision.held;
  forget_top(held ? std::min(held->score, decision.score) : decision.score);
  list_changed();
}

// Returns whether the entry changed: a capped board may drop a new entry at once.
inline bool Board::put(const Decision& decision) {
  if (decision.activity) {
    rolling_->add(decision.player, *decision.activity);
  } else {
    EngineRow row{decision.player.id, decision.score, decision.at, std::nullopt};
    if (decision.data) row.data = *decision.data;
    if (decision.ruled_data) row.data = *decision.ruled_data;
    scores_->put(decision.player, row);
    if (is_capped_ && !decision.held && !scores_->held(look_up(decision.player.id), judged_)) {
      return false;
    }
  }
  return true;
}

inline bool Board::commit(const Decision& decision) {
  const RowKey next{decision.score, decision.at};
  const auto change = [&] { return put(decision); };
  if (!change_row(decision.player, change, &next)) return false;
  mark_written();
  touched(decision);
  return true;
}

void Board::apply(const Decision& decision, Change& change) {
  const MemoryGuarantee guaranteed;
  change.player = decision.player.id;
  change.board = name_;
  change.columns = columns();
  change.at = decision.at;
  std::size_t position_before = size();  // a new player starts behind all
  if (const std::optional<std::size_t> position = engine_->position(decision.player)) {
    position_before = *position;
    change.previous = score(change.player);
    change.previous_rank = engine_->rank(decision.player, spec_->ranking);
  }
  change.changed = decision.changed && commit(decision);
  ++(change.changed ? counts_.changed : counts_.unchanged);
  const Player player = look_up(change.player);
  if (const std::optional<std::size_t> position = engine_->position(player)) {
    change.score = score(change.player);
    change.rank = engine_->rank(player, spec_->ranking);
    change.passed = *position < position_before ? position_before - *position : 0;
  }
  if (change.changed) tell_rule(change);
  if (results_) [[unlikely]]
    note_applied(decision);
}

bool Board::rule_hears_changes() const { return rule_ && context_.rules->wants_changes(*rule_); }

void Board::tell_rule(const Change& change) {
  if (!rule_hears_changes()) return;
  if (!pending_) pending_ = std::make_unique<std::deque<Change>>();
  if (pending_->size() < kPendingChangesMax) {
    pending_->push_back(change);
  } else {
    ++context_.pending_dropped;
  }
}

namespace {

// Out of line: few boards have a rule that hears of changes.
[[gnu::noinline]] bool changed_as_reported(Board& board, const Board::Decision& decision) {
  Change change;
  board.apply(decision, change);
  return change.changed;
}

// Returns the outcome in place: copying a struct right after writing its fields would stall until
// the submission's earlier stores complete.
inline Result<Outcome> outcome_of(Board& board, const Board::Decision& decision) {
  Result<Outcome> outcome = Outcome{};
  board.apply(decision, *outcome);
  return outcome;
}

}  // namespace

inline bool Board::apply_decided(const Decision& decision) {
  if (rule_hears_changes()) return changed_as_reported(*this, decision);
  const bool changed = decision.changed && commit(decision);
  ++(changed ? counts_.changed : counts_.unchanged);
  if (results_) [[unlikely]]
    note_applied(decision);
  return changed;
}

bool Board::apply(const Decision& decision) { return apply_decided(decision); }

void Board::apply(const Decision& decision, Outcome& outcome) {
  const MemoryGuarantee guaranteed;
  const bool changed = apply_decided(decision);
  if (decision.repeats && !decision.held) [[unlikely]]
    return;
  if (!is_shown(decision.player.id)) return;
  outcome.score = form().score(decision.score);
  outcome.changed = changed;
}

[[gnu::always_inline]] inline Status Board::decide_in_line(WriteMode mode,
                                                           const Submission& submission,
                                                           Decision& decision) {
  assert(mode != WriteMode::hold && "only a rule holds");
  if (submission.id) [[unlikely]]
    keep_results();
  if (mode == WriteMode::set) [[unlikely]]
    return Judge(*this).decide_set(submission, decision);
  decision.player = {submission.player, Lookup(*this).find(submission, decision)};
  return Judge(*this).decide_found(mode, submission, may_write(), decision);
}

Status Board::decide(WriteMode mode, const Submission& submission, Decision& decision) {
  return decide_in_line(mode, submission, decision);
}

Result<Outcome> Board::submit(WriteMode mode, const Submission& submission) {
  Decision decision(moment_of(submission));
  const Status decided = decide_in_line(mode, submission, decision);
  if (!decided) return decided.refusal();
  return outcome_of(*this, decision);
}

Result<Change> Board::submit_report(const Submission& submission) {
  Decision decision(moment_of(submission));
  if (const Status decided = decide(WriteMode::submit, submission, decision); !decided) {
    return decided.refusal();
  }
  Change change;
  apply(decision, change);
  return change;
}

}  // namespace laurel
