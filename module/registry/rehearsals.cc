#include "registry/rehearsals.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/limits.h"
#include "board/board.h"
#include "registry/tick_budget.h"

namespace laurel {

Status Rehearsals::check_room() const {
  if (calls_.size() < kRehearsalsMax) return Done{};
  return Refusal(Code::unavailable, "{} rehearsals are not finished, the most allowed",
                 kRehearsalsMax);
}

Rehearsals::Id Rehearsals::begin(const Board& board, BoardHandle handle,
                                 std::shared_ptr<RuleTrial> version, Told told) {
  calls_.push_back({++last_id_, handle, Rehearsal(board, std::move(version)), std::move(told)});
  return last_id_;
}

void Rehearsals::cancel(Id id) {
  std::erase_if(calls_, [id](const Call& call) { return call.id == id; });
}

void Rehearsals::clear() {
  calls_.clear();
  versions_.clear();
}

bool Rehearsals::Version::step(const Find& find) {
  while (!boards.empty()) {
    OnBoard& first = boards.front();
    const Board* const board = find(first.board);
    if (board != nullptr && first.work.step(*board)) return true;
    const RehearsalReport& report = first.work.report();
    judged += report.judged;
    if (newly_failed == 0) first_failure = report.first_failure;
    newly_failed += report.newly_failed;
    boards.pop_front();
  }
  return false;
}

std::optional<std::string> Rehearsals::Version::problem() const {
  if (newly_failed == 0) return std::nullopt;
  return fmt::format(
      "fails on {} of {} submissions of the journal that were judged without failing; the first: "
      "{}",
      newly_failed, judged, first_failure);
}

// Begins again if a rule's file changed again, and drops what is no longer asked for.
void Rehearsals::follow(const Rules& rules, const EachBoard& each_board) {
  const std::vector<Rules::Candidate> candidates = rules.candidates();
  std::erase_if(versions_, [&](const Version& version) {
    return std::ranges::none_of(candidates, [&](const Rules::Candidate& candidate) {
      return candidate.version == version.candidate.version;
    });
  });
  for (const Rules::Candidate& candidate : candidates) {
    const auto known = std::ranges::any_of(versions_, [&](const Version& version) {
      return version.candidate.version == candidate.version;
    });
    if (known) continue;
    Version& version = versions_.emplace_back();
    version.candidate = candidate;
    each_board([&](BoardHandle handle, const Board& board) {
      if (!board.has_rule(candidate.rule) || board.journal() == nullptr) return;
      version.boards.push_back({handle, Rehearsal(board, candidate.version)});
    });
  }
}

std::vector<RuleError> Rehearsals::finish_versions(Rules& rules, const Find& find,
                                                   const EachBoard& each_board) {
  std::vector<RuleError> errors;
  follow(rules, each_board);
  for (Version& version : versions_) {
    while (version.step(find)) {
    }
    if (auto error = rules.settle(version.candidate.rule, version.problem())) {
      errors.push_back(std::move(*error));
    }
  }
  versions_.clear();
  return errors;
}

// One more submission of the oldest call; false if none is left, or the owner of one was told.
bool Rehearsals::step_call(const Find& find) {
  Call& call = calls_.front();
  const Board* const board = find(call.board);
  if (board != nullptr && call.work.step(*board)) return true;
  Call ended = std::move(call);
  calls_.pop_front();
  if (board == nullptr) {
    ended.told(Refusal(Code::unknown, "the board was dropped"));
  } else {
    ended.told(ended.work.take_report());
  }
  return false;
}

void Rehearsals::tick(Rules& rules, const Find& find, const EachBoard& each_board) {
  follow(rules, each_board);
  TickSlice slice(kRehearsalTickNs);
  while (!versions_.empty()) {
    Version& version = versions_.front();
    if (!version.step(find)) {
      (void)rules.settle(version.candidate.rule, version.problem());
      versions_.pop_front();
    }
    if (slice.spent()) return;
  }
  // What is told may do anything, so the tick continues with other work afterwards.
  while (!calls_.empty() && step_call(find)) {
    if (slice.spent()) return;
  }
}

}  // namespace laurel
