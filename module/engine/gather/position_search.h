// position_search.h - splits a position in all rows of several parts, each in order, into a
// position in each part. It does no I/O, so that the parts may be anywhere: the caller reads what
// is asked for, all questions of a step at once.
//
//   step      the caller reads a row of each part, and counts the rows of each part that are before
//             the weighted median of these rows, the pivot.
//   changes   if the parts change meanwhile, the answer is approximate.
//   source    selection in sorted lists by weighted medians: G. N. Frederickson, D. B. Johnson,
//             "The Complexity of Selection and Ranking in X+Y and Matrices with Sorted Columns",
//             JCSS 24 (1982). Unlike there, the first medians are taken at the position expected
//             for randomly spread rows: then two or three steps are enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace laurel {

// `Before` compares two rows: whether the first is better.
template <typename Row, typename Before>
class PositionSearch {
 public:
  struct Question {
    std::size_t part = 0;
    std::size_t position = 0;
  };

  // `sizes`: the number of rows of each part.
  PositionSearch(std::span<const std::size_t> sizes, std::size_t position, Before before)
      : low_(sizes.size()),
        high_(sizes.begin(), sizes.end()),
        position_(std::min(position, sum(high_))),
        before_(std::move(before)) {
    questions_.reserve(sizes.size());
    medians_.reserve(sizes.size());
  }

  // Begins the next step. False: the search has ended.
  bool next() {
    questions_.clear();
    medians_.clear();
    const std::size_t missing = gap();
    if (missing <= kGatherSkipMax * low_.size()) return false;
    double fraction = 0.5;
    if (++step_ <= kExpectingSteps) {
      // Two standard deviations short of the gap: a pivot behind the position would not reduce it.
      const auto wanted = static_cast<double>(missing);
      fraction = (wanted - 2 * std::sqrt(wanted)) / static_cast<double>(sum(high_) - sum(low_));
    }
    for (std::size_t i = 0; i < low_.size(); ++i) {
      const std::size_t width = high_[i] - low_[i];
      if (width == 0) continue;
      const auto offset = static_cast<std::size_t>(fraction * static_cast<double>(width));
      questions_.push_back({i, low_[i] + std::min(offset, width - 1)});
    }
    return !questions_.empty();
  }

  // The rows to read in this step.
  const std::vector<Question>& questions() const { return questions_; }
  // The row that was asked for. A part that has shrunk meanwhile may have none.
  void accept(std::size_t part, Row row) {
    medians_.emplace_back(std::move(row), high_[part] - low_[part]);
  }
  // The row before which the rows of each part must be counted; valid until next(). Null if no row
  // was accepted: then the search has ended.
  const Row* pivot() {
    std::sort(medians_.begin(), medians_.end(),
              [&](const auto& a, const auto& b) { return before_(a.first, b.first); });
    const std::size_t half = (sum(high_) - sum(low_)) / 2;
    std::size_t weight = 0;
    for (const auto& [row, width] : medians_) {
      weight += width;
      if (weight > half) return &row;
    }
    return medians_.empty() ? nullptr : &medians_.back().first;
  }
  // The number of rows before the pivot, of each part.
  void narrow(const std::vector<std::size_t>& counts) {
    const bool is_before = sum(counts) <= position_;
    for (std::size_t i = 0; i < low_.size(); ++i) {
      if (is_before) low_[i] = std::max(low_[i], counts[i]);
      high_[i] = std::max(low_[i], is_before ? high_[i] : std::min(high_[i], counts[i]));
    }
  }

  // When the search has ended: the number of rows to skip in each part. Together they are the first
  // of all, and gap() fewer than the position: at most kGatherSkipMax for each part.
  const std::vector<std::size_t>& starts() const { return low_; }
  std::size_t gap() const { return position_ - std::min(position_, sum(low_)); }

 private:
  // Later steps take rows in the middle, so that at least a quarter of the rows that are left is
  // before the pivot, and a quarter after it: O(log n) steps for any spreading of the rows.
  static constexpr int kExpectingSteps = 6;

  static std::size_t sum(const std::vector<std::size_t>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
  }

  std::vector<std::size_t> low_;   // rows of each part that are before the position,
  std::vector<std::size_t> high_;  // and from where on they are not
  std::size_t position_;
  Before before_;
  int step_ = 0;
  std::vector<Question> questions_;
  std::vector<std::pair<Row, std::size_t>> medians_;
};

}  // namespace laurel
