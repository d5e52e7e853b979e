// top_page.h - a cache of the first entries of a board. A board's top is read much more often than
// it changes.
//
//   valid    from stand() until a row that reaches the page is added, removed or changed. The
//            caller that changes a row passes the better of its old and new score to forget().
//   reaches  a score at least as good as the last entry's. If the page has the whole board, every
//            score reaches it.
//   size     at most kTopPageMax entries; at least what was last asked for.
//   views    ids as in the engine, data copied: valid until the page is filled after a change. An
//            id stays valid while its player's row does not reach the page.
//   changes  of ranks since a mark are kept for the first entries, as far as they were asked for,
//            while the page is valid and the mark is the same one.
//   memory   sizeof(Entry) for each entry, and the data. 16 bytes for each change of a rank.
//   threads  one caller at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "board/standings/change.h"
#include "rank/score/score.h"

namespace laurel {

class TopPage {
 public:
  // Whether the page has these positions, as far as the board has them.
  bool has(std::size_t first, std::size_t n) const {
    return first <= reach_ && n <= reach_ - first;
  }
  // Appends those entries. REQUIRES: has(first, n).
  void copy(std::size_t first, std::size_t n, Entries& out) const {
    first = std::min(first, entries_.size());
    n = std::min(n, entries_.size() - first);
    if (first == 0) {
      out.append_first(entries_.data(), n, fill_);
    } else {
      out.append(entries_.data() + first, n);
    }
  }

  // Whether the list is a copy of the first entries.
  bool begins_with(const Entries& list) const { return stands() && list.are_first_of(fill_); }
  // The changes of the first n entries, if they are known at this version of the marks; else empty.
  // REQUIRES: the page is valid, and has n entries.
  std::span<const std::optional<double>> known_changes(std::uint64_t marks, std::size_t n) const {
    if (!changes_ || changes_->marks != marks || changes_->known.size() < n) return {};
    return std::span(changes_->known).first(n);
  }
  // The same; those that are not known are taken from change(entry). `marks` is not 0.
  template <typename Change>
  std::span<const std::optional<double>> rank_changes(std::uint64_t marks, std::size_t n,
                                                      Change change) {
    if (!changes_) changes_ = std::make_unique<RankChanges>();
    std::vector<std::optional<double>>& known = changes_->known;
    if (std::exchange(changes_->marks, marks) != marks) known.clear();
    while (known.size() < n) known.push_back(change(entries_[known.size()]));
    return std::span(known).first(n);
  }

  // The entry at a position, if the page is valid and has it, else null.
  const Entry* at(std::size_t position) const {
    return stands() && position < entries_.size() ? &entries_[position] : nullptr;
  }

  void forget() { reach_ = 0; }
  // Invalidates the page if the score reaches it.
  void forget(ScoreKey score) {
    if (reach_ == kWhole || score <= last_) reach_ = 0;
  }

  // Empties the page to take at least n entries; returns how many to add. While the page is valid
  // it grows by doubling, and earlier views stay valid. REQUIRES: n <= kTopPageMax.
  std::size_t begin(std::size_t n);
  // To be filled between begin() and stand(), which validates them.
  Entries& entries() { return entries_; }
  void stand(bool is_whole, ScoreKey last);

  std::size_t bytes() const;

 private:
  static constexpr std::size_t kWhole = SIZE_MAX;  // of a page that has the whole board

  bool stands() const { return reach_ > 0; }

  struct RankChanges {
    std::uint64_t marks = 0;  // the version that they are of; 0: of an earlier page
    std::vector<std::optional<double>> known;
  };

  Entries entries_;
  std::size_t reach_ = 0;                 // positions that it has; 0: it is not valid
  std::uint64_t fill_ = 0;                // differs for each fill of any page after a change
  ScoreKey last_ = 0;                     // the score of the last entry
  std::unique_ptr<RankChanges> changes_;  // null until they are asked for
};

}  // namespace laurel
