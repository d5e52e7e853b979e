// Who may change a board: joins, hours, and boards that are made from others, which take no
// writes. Then changes of single entries that are not submissions, and what they bring about.
#include <algorithm>
#include <limits>

#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board.h"
#include "board/marks/board_marks.h"
#include "board/refusals.h"
#include "board/results/board_results.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/board_segments.h"
#include "board/spec/spec_fields.h"
#include "board/standings/derivation.h"
#include "board/validate.h"

namespace laurel {

Refusal Board::takes_no_writes() const {
  return {Code::unsupported,
          "board \"{}\" is made from {} (engine \"{}\"): it takes no writes of its own",
          escaped(name_, 64), is_of_groups(*spec_) ? "another board" : "other boards",
          word(spec_->engine)};
}

Status Board::may_change() const {
  if (Status open = may_write(); !open) return open;
  if (is_derived(*spec_)) return takes_no_writes();
  return Done{};
}

Status Board::may_change(std::string_view player) const {
  if (Status open = context_.accepts(player); !open) return open;
  if (is_derived(*spec_)) return takes_no_writes();
  return Done{};
}

Status Board::check_open() const {
  if (is_derived(*spec_)) return takes_no_writes();
  const Time now = context_.timestamps.now();
  if (spec_->opens && now < *spec_->opens) return closed(name_, "opens", *spec_->opens);
  if (spec_->closes && now >= *spec_->closes) return closed(name_, "closed", *spec_->closes);
  if (spec_->duration && now >= season_.started + *spec_->duration) {
    return season_closed(name_, season_.started + *spec_->duration, season_clock_.due());
  }
  return Done{};
}

Result<bool> Board::join(const Submission& submission, bool with_score) {
  if (const Status open = may_change(submission.player); !open) return open.refusal();
  const Player player = look_up(submission.player);
  if (is_banned(player.handle)) return laurel::banned(player.id, name_);
  if (membership_.has(Membership::List::joined, player.handle)) return false;
  const MemoryGuarantee guaranteed;  // the score is decided when the player has joined
  membership_.add(Membership::List::joined, player.id);
  if (with_score) {
    joining_ = true;
    const Result<Outcome> outcome = submit(WriteMode::submit, submission);
    joining_ = false;
    if (!outcome) {
      membership_.remove(Membership::List::joined, context_.players.find(player.id));
      return outcome.refusal();
    }
  }
  return true;
}

Result<bool> Board::leave(std::string_view id) {
  const MemoryGuarantee guaranteed;
  const Result<bool> removed = remove(id);
  if (!removed) return removed;
  return membership_.remove(Membership::List::joined, context_.players.find(id)) || *removed;
}

Time Board::next_change_at() const {
  if (derivation_ != nullptr) return derivation_->next_change_at();
  if (rolling_ != nullptr) return std::numeric_limits<Time>::min();
  const Time end = season_clock_.due().value_or(std::numeric_limits<Time>::max());
  return marks_ ? std::min(end, marks_->due().value_or(end)) : end;
}

void ChangedBoards::unlist(std::size_t count) {
  const auto last = boards_.begin() + static_cast<std::ptrdiff_t>(std::min(count, boards_.size()));
  const auto done = [](Board* board) { return board->unlist(); };
  boards_.erase(std::remove_if(boards_.begin(), last, done), last);
}

void Board::mark_written() {
  if (written_) return;
  written_ = true;
  save();
}

void Board::change_row_told(const Player& player, const std::function<void()>& change,
                            const RowKey* next) {
  std::optional<SegmentedChange> segmented;
  if (segments_) segmented.emplace(*segments_, player, next);
  std::optional<CohortChange> of_cohort;
  if (cohorts_) of_cohort.emplace(*cohorts_, player, next);
  std::optional<MarkedChange> marked;
  if (marks_ && marks_->hears()) {
    marked.emplace(*marks_, context_.players, *engine_, spec_->ties, player, next);
  }
  Standings::change_row_told(player, change, next);
}

Result<bool> Board::remove(std::string_view id) {
  if (const Status open = may_change(id); !open) return open.refusal();
  const MemoryGuarantee guaranteed;
  const Player player = look_up(id);
  if (results_) results_->removed(id);
  return membership_.drop_hidden(player.handle) || erase(player);
}

Result<bool> Board::set_data(std::string_view id, const std::optional<std::string_view>& data) {
  if (const Status open = may_change(id); !open) return open.refusal();
  if (const Status valid = check_data(data); !valid) return valid.refusal();
  const std::string* const hidden = membership_.hidden(context_.players.find(id));
  const std::optional<std::string> packed =
      hidden != nullptr ? std::optional(*hidden) : engine_->pack(look_up(id));
  if (!packed) return false;
  const std::string with_data = engine_->repacked(*packed, data);
  if (with_data == *packed) return true;
  const MemoryGuarantee guaranteed;
  if (hidden != nullptr) {
    membership_.hide(id, with_data);
  } else {
    replace(id, with_data);
  }
  return true;
}

void Board::replace(std::string_view id, std::string_view packed) {
  change_row({id}, [&] {  // without a handle: the player may get another one
    engine_->erase(look_up(id));
    engine_->unpack(look_up(id), packed);
  });
  touched();
}

// Returns whether there was an entry.
bool Board::erase(const Player& player) {
  if (!change_row(player, [&] { return engine_->erase(player); })) return false;
  touched();
  return true;
}

std::optional<EngineRow> Board::held_row(const Player& player, Arena& arena) const {
  return scores_ != nullptr ? scores_->held(player, arena) : engine_->find(player, arena);
}

void Board::deliver_changes() {
  if (!pending_) return;
  const std::unique_ptr<std::deque<Change>> changes = std::move(pending_);
  if (!rule_) return;
  for (const Change& change : *changes) context_.rules->changed(*rule_, change);
}

}  // namespace laurel
