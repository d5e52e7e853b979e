// list_search.h - the best n rows of several parts, each in order: which rows to read, and when the
// list is certain. It does no I/O, so that the parts may be anywhere: the caller reads what is
// asked for, all questions of a round at once.
//
//   question  the number of rows to know from the start of a part.
//   again     a part is asked again if a row after its last known one may belong to the list.
//   cost      each round sorts the known rows. For parts in memory row_merge.h is faster: it takes
//             rows one by one from where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "engine/gather/row_merge.h"

namespace laurel {

// A question: for the first rows of a part.
struct RowsOfPart {
  std::size_t part = 0;
  std::size_t rows = 0;
};

// `Before` compares two rows: whether the first is better.
template <typename Row, typename Before>
class ListSearch {
 public:
  // REQUIRES: the first question is for at least one row.
  ListSearch(std::size_t parts, std::size_t n, Asking asking, Before before)
      : parts_(parts), n_(n), asking_(asking), before_(std::move(before)) {}

  // Begins the next round. False: the search has ended.
  bool next() {
    list_.clear();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (Row& row : parts_[i].rows) list_.emplace_back(&row, i);
    }
    std::sort(list_.begin(), list_.end(),
              [&](const auto& a, const auto& b) { return before_(*a.first, *b.first); });
    if (list_.size() > n_) list_.resize(n_);
    questions_.clear();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!may_be_better(parts_[i])) continue;
      parts_[i].asked = std::min(n_, parts_[i].asked + asking_.first);
      questions_.push_back({i, parts_[i].asked});
    }
    const std::size_t rows = std::exchange(asking_.first, asking_.again);
    asking_.again *= 2;
    return rows > 0 && !questions_.empty();
  }

  // The questions of this round: all are to be answered.
  const std::vector<RowsOfPart>& questions() const { return questions_; }
  // The part's first rows, in order: the number that was asked for, or all that it has. Further
  // rows are ignored. They must live until the next answer about this part, or the end.
  void accept(std::size_t part, std::span<Row> rows, bool has_more) {
    const std::size_t asked = parts_[part].asked;
    parts_[part].has_more =
        asked > 0 && (rows.size() > asked || (has_more && rows.size() == asked));
    parts_[part].rows = rows.first(std::min(rows.size(), asked));
  }

  // The list, each row with its part. REQUIRES: the search has ended, as for is_certain().
  const std::vector<std::pair<Row*, std::size_t>>& list() const { return list_; }
  // False if a part may have a better row and must not be asked again: Asking::again is 0.
  bool is_certain() const { return questions_.empty(); }

 private:
  struct Part {
    std::span<Row> rows = {};
    bool has_more = true;
    std::size_t asked = 0;
  };

  bool may_be_better(const Part& part) const {
    if (!part.has_more || list_.size() < n_ || part.rows.empty()) return part.has_more;
    return before_(part.rows.back(), *list_.back().first);
  }

  std::vector<Part> parts_;
  std::size_t n_;
  Asking asking_;  // in the next round, and in the one after it
  Before before_;
  std::vector<RowsOfPart> questions_;
  std::vector<std::pair<Row*, std::size_t>> list_;
};

}  // namespace laurel
