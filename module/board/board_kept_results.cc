// A board's calls of what it keeps of results (results/board_results.h). Out of line: few boards
// keep anything.
#include "base/memory_guarantee.h"
#include "board/board.h"
#include "board/refusals.h"
#include "board/results/board_results.h"
#include "board/validate.h"
#include "engine/rolling/rolling_engine.h"

namespace laurel {

void Board::keep_results() {
  if (results_) return;
  results_ = std::make_unique<BoardResults>(
      BoardResults::Context{context_.engines(), context_.reclaimer, space_}, *spec_);
}

bool Board::keeps_each_result() const { return BoardResults::keeps_each(*spec_); }

// Whether the id of the submission was accepted before. Then the decision says what is held.
Result<bool> Board::repeats(const Submission& submission, Decision& decision) {
  if (const Status valid = check_identity(submission); !valid) return valid.refusal();
  keep_results();
  const Time now = submission.at ? context_.timestamps.now() : context_.timestamps.reading();
  if (!results_->has_id(*submission.id, decision.id, now)) return false;
  decision.repeats = true;
  decision.held = held_row(decision.player, judged_);
  if (decision.held) {
    decision.score = decision.held->score;
    decision.at = decision.held->at;
  }
  return true;
}

template <typename Decide>
Status Board::decide_kept(WriteMode mode, const Submission& submission, Decision& decision,
                          Decide decide) {
  if (is_derived(*spec_)) return decide();
  if (submission.id) {
    const Result<bool> repeated = repeats(submission, decision);
    if (!repeated) return repeated.refusal();
    if (*repeated) return Done{};
  }
  results_->begin(mode, joining_, submission, decision.at);
  Status decided = decide();
  if (results_->hears_decisions()) {
    results_->decided(decided, taken_of(decision), form(), judged_by(mode, decided, decision));
  }
  return decided;
}

// The submission was checked, and reaches the rule if there is one.
void Board::reach_rule(ScoreKey offered, const ColumnValues* differences) {
  // Else other threads may submit batches.
  if (keeps_each_result()) results_->admitted(offered, differences);
}

// By which rule, for what is kept of the result.
JudgedBy Board::judged_by(WriteMode mode, const Status& decided, const Decision& decision) const {
  JudgedBy judged;
  if (rule_ && mode != WriteMode::set) {
    judged.version = context_.rules->version(*rule_);
    judged.failed = !decided && context_.rules->failed();
  }
  if (decision.activity) judged.sum = rolling_->sum_with(decision.player, *decision.activity);
  return judged;
}

Status Board::judge_kept(const SubmissionContext& context, const Status& open) {
  return decide_kept(context.mode, context.submission, context.decision,
                     [&] { return judge(context, open); });
}

Status Board::judge_set_kept(const Submission& submission, Decision& decision) {
  return decide_kept(WriteMode::set, submission, decision,
                     [&] { return judge_set(submission, decision); });
}

Status Board::admit_result(const Player& player) {
  if (const Attempts* attempts = results_->attempts()) {
    if (attempts->of(player.handle).left(spec_->attempts) == 0) {
      return exhausted(player.id, name_, spec_->attempts);
    }
  }
  if (spec_->capacity != 0 && size() >= spec_->capacity && !held_row(player, judged_)) {
    return full(name_, spec_->capacity);
  }
  return Done{};
}

TakenResult Board::taken_of(const Decision& decision) const {
  TakenResult taken{.player = decision.player,
                    .before = decision.held,
                    .score = decision.score,
                    .at = decision.at,
                    .data = decision.data};
  if (decision.ruled_data) taken.data = *decision.ruled_data;
  return taken;
}

void Board::note_applied(const Decision& decision) {
  if (!decision.repeats) results_->applied(decision.player);
}

std::optional<Board::AttemptsOf> Board::attempts(std::string_view player) const {
  if (!results_ || results_->attempts() == nullptr) return std::nullopt;
  const AttemptCount count = results_->attempts()->of(player);
  return AttemptsOf{count.taken, count.left(spec_->attempts)};
}

Result<std::uint64_t> Board::grant(std::string_view player, std::int64_t more) {
  if (const Status open = may_change(player); !open) return open.refusal();
  if (!results_ || results_->attempts() == nullptr) {
    return counts_no_attempts(name_);
  }
  AttemptCount count = results_->attempts()->of(player);
  if (const Status valid = check_grants(count.granted, more); !valid) return valid.refusal();
  const MemoryGuarantee guaranteed;
  count.granted += more;
  results_->attempts()->set(player, count);
  return count.left(spec_->attempts);
}

}  // namespace laurel
