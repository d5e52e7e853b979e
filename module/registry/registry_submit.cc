// Finds boards by name, and submits to several of them at once.
#include <cassert>
#include <vector>

#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/decision.h"
#include "registry/registry.h"

namespace laurel {

std::optional<BoardHandle> Registry::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return BoardHandle{found->second, slots_[found->second].generation};
}

std::optional<Registry::Refused> Registry::submit(std::span<const std::string_view> names,
                                                  const Submission& submission,
                                                  std::vector<std::optional<double>>& held,
                                                  std::span<const GivenScore> scores) {
  assert(scores.empty() || scores.size() == names.size());
  struct RuleWrite {
    Board* board;
    Board::Decision decision;
  };
  std::vector<RuleWrite> judged;
  judged.reserve(names.size());
  const Time at =
      submission.at ? time_from_seconds(*submission.at).value_or(0) : context_.timestamps.next();
  Submission to_each = submission;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    if (!scores.empty()) {
      to_each.score = scores[i].score;
      to_each.columns = scores[i].columns;
    }
    const std::optional<BoardHandle> handle = find(name);
    if (!handle && remotes_ && remotes_->has(name)) {
      return Refused{
          std::string(name),
          Refusal(Code::unsupported, "board \"{}\" is remote: submit to it in a call of its own",
                  escaped(name, 64))};
    }
    if (!handle) {
      return Refused{std::string(name),
                     Refusal(Code::unknown, "no board is called \"{}\"", escaped(name, 64))};
    }
    Board* board = get(*handle);
    RuleWrite& each = judged.emplace_back(RuleWrite{board, Board::Decision(at)});
    const Status decided = board->decide(WriteMode::submit, to_each, each.decision);
    if (!decided) return Refused{std::string(name), decided.refusal()};
  }
  held.reserve(held.size() + judged.size());
  const MemoryGuarantee guaranteed(judged.size() * kMemoryPerBoardBytes);
  for (RuleWrite& each : judged) {
    // The first board may have created the player's handle.
    each.decision.player.handle = context_.players.find(submission.player);
    Outcome outcome;
    each.board->apply(each.decision, outcome);
    held.push_back(outcome.score);
  }
  return std::nullopt;
}

}  // namespace laurel
