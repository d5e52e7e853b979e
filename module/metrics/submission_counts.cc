#include "metrics/submission_counts.h"

namespace laurel {

std::string_view SubmissionCounts::label(std::string_view board) { return entry(board).first; }

SubmissionCounts::Entry& SubmissionCounts::entry(std::string_view board) {
  std::string_view label = board;
  auto known = by_label_.find(label);
  if (known == by_label_.end()) {
    const std::size_t own = by_label_.size() - (by_label_.contains(kOtherBoards) ? 1 : 0);
    if (own >= kMetricBoardsMax) label = kOtherBoards;
    known = by_label_.find(label);
  }
  if (known != by_label_.end()) return *known->second;
  Entry& added = entries_.emplace_back(std::string(label), BoardSubmissions{});
  by_label_.emplace(added.first, &added);
  return added;
}

SubmissionStats SubmissionCounts::total() const {
  SubmissionStats total;
  for (const auto& [label, counts] : entries_) {
    total.changed += counts.changed;
    total.refused += counts.refused;
    total.submissions += counts.unchanged + counts.changed + counts.refused;
  }
  return total;
}

std::uint64_t SubmissionCounts::changed() const {
  std::uint64_t changed = 0;
  for (const auto& [label, counts] : entries_) changed += counts.changed;
  return changed;
}

void SubmissionCounts::each(
    const std::function<void(std::string_view label, const BoardSubmissions&)>& visit) const {
  for (const auto& [label, counts] : entries_) visit(label, counts);
}

}  // namespace laurel
