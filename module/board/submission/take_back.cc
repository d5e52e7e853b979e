// The results that a board keeps of its players, and taking some back: later ones are decided
// again.
#include <algorithm>
#include <utility>

#include "base/checks.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/results/board_results.h"
#include "board/submission/judge.h"
#include "engine/row_codec.h"

namespace laurel {

namespace {

// What is held after a decision.
std::optional<HeldState> held_after(const Board::Decision& decision,
                                    std::optional<HeldState> before) {
  if (!decision.changed) return before;
  HeldState held{.score = decision.score, .at = decision.at, .data = std::nullopt};
  if (decision.data) held.data = std::string(*decision.data);
  if (decision.ruled_data) held.data = *decision.ruled_data;
  return held;
}

}  // namespace

ResultHistory* Board::kept_history() const { return results_ ? results_->history() : nullptr; }
const SubmissionJournal* Board::journal() const { return results_ ? results_->journal() : nullptr; }

// What the player holds, hidden by a ban or not.
std::optional<HeldState> Board::held_or_hidden(const Player& player) const {
  const std::string* const packed = membership_.hidden(player.handle);
  if (packed != nullptr) return held_state(unpack_row(*packed));
  Arena arena;
  const std::optional<EngineRow> row = held_row(player, arena);
  return row ? std::optional(held_state(*row)) : std::nullopt;
}

std::vector<PastResult> Board::history(std::string_view id, std::size_t limit) const {
  std::vector<PastResult> results;
  const ResultHistory* const history = kept_history();
  if (history == nullptr) return results;
  std::optional<HeldState> held = held_or_hidden(look_up(id));
  std::vector<KeptResult> kept = history->of(id);
  for (auto result = kept.rbegin(); result != kept.rend() && held; ++result) {
    if (results.size() == limit) break;
    results.push_back({.by = result->by,
                       .score = form().score(result->score),
                       .held = form().score(held->score),
                       .at = result->at,
                       .data = std::move(result->data),
                       .rule_version = std::move(result->rule_version),
                       .differences = result->differences});
    held = std::move(result->before);
  }
  return results;
}

// Decides kept results again, and has the player hold what they tell.
class Board::TakeBack {
 public:
  TakeBack(Board& board, const Player& player) : board_(board), player_(player) {}

  // Decides a result if the player held `held`. Absent: it is refused now. Fails if it cannot be
  // decided.
  Result<std::optional<HeldState>> decide(const KeptResult& result,
                                          const std::optional<HeldState>& held,
                                          bool& by_rule) const {
    Submission submission{.player = player_.id, .score = board_.form().score(result.score)};
    if (result.data) submission.data = *result.data;
    if (result.differences) submission.columns = &*result.differences;
    Decision decision(result.at);
    decision.player = player_;
    if (held) decision.held = row_of(*held);
    const Status decided =
        Judge(board_).decide_again(mode_of(result.by), submission, decision, by_rule);
    if (decided) return held_after(decision, held);
    if (decided.refusal().code() == Code::unavailable) return decided.refusal();
    return std::optional<HeldState>();
  }

  // Gives the player another entry, or none; hidden by a ban if it was.
  void hold(const std::optional<HeldState>& held) const {
    Membership& membership = board_.membership_;
    if (!held) {
      if (!membership.drop_hidden(player_.handle)) board_.erase(player_);
    } else if (membership.hidden(player_.handle) != nullptr) {
      membership.hide(player_.id, pack_row(row_of(*held)));
    } else {
      EngineRow row = row_of(*held);
      row.player = player_.id;
      board_.change_row(player_, [&] {
        board_.scores_->put(player_, row);
        return true;
      });
      board_.touched();
    }
  }

 private:
  Board& board_;
  Player player_;
};

Result<Outcome> Board::take_back(std::string_view id, double seconds) {
  if (const Status open = may_change(id); !open) return open.refusal();
  if (const Status valid = check_moment(seconds); !valid) return valid.refusal();
  const Time at = given_moment(seconds);
  ResultHistory* const history = kept_history();
  const std::vector<KeptResult> kept =
      history == nullptr ? std::vector<KeptResult>() : history->of(id);
  const auto is_taken = [at](const KeptResult& result) { return result.at == at; };
  const auto first = std::ranges::find_if(kept, is_taken);
  if (first == kept.end()) {
    return Refusal(Code::unknown, "no result of player \"{}\" at {:.6f} is kept", escaped(id, 64),
                   seconds);
  }
  const Player player = look_up(id);
  const TakeBack taking(*this, player);
  // What the results tell, with and without those that are taken back.
  std::optional<HeldState> told = first->before;
  std::optional<HeldState> held = first->before;
  bool by_rule = false;
  std::vector<KeptResult> left(kept.begin(), first);
  for (auto result = first; result != kept.end(); ++result) {
    if (!by_rule) {
      Result<std::optional<HeldState>> with = taking.decide(*result, told, by_rule);
      by_rule = by_rule || !with;
      if (with && *with) told = std::move(*with);
    }
    if (is_taken(*result)) continue;
    Result<std::optional<HeldState>> next = taking.decide(*result, held, by_rule);
    if (!next) return next.refusal();
    if (!*next) continue;
    KeptResult& stays = left.emplace_back(*result);
    stays.before = std::exchange(held, std::move(*next));
  }
  const std::optional<HeldState> was = held_or_hidden(player);
  // If the results tell what is held, and the same without those, the entry stays as it is: its
  // data may have been set by a moderator.
  const bool exact = !by_rule && told && was && told->score == was->score && told->at == was->at;
  if (exact && told == held) held = was;

  const MemoryGuarantee guaranteed(kept.size() * 8 * kDataBytesMax);
  Outcome outcome;
  outcome.changed = held != was;
  if (held) outcome.score = form().score(held->score);
  if (outcome.changed) taking.hold(held);
  history->replace(id, left);
  return outcome;
}

}  // namespace laurel
