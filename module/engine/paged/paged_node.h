// paged_node.h - an object of a paged board: an entry set, or a manifest of others.
//
//   entry set   rows of the board that stand one behind the other, best first.
//   manifest    a row for each child, best first: what the child holds, and its last row's place,
//               the child's "lowest".
//   node        either of them. An entry set at the bottom, manifests above: a counted B+tree.
//   weight      of a row: the bytes that it takes in the stored node, but at least its share of a
//               node that is as long as rows may be. So one number says when a node is full, in
//               rows or in bytes, and which half of it is the half.
//   repeats     a row does that begins with the score with which the row before it ends. Distinct
//               scores are those of the rows less the repeated ones.
//   form        u8 'e' or 'm'; u64 the number of the next entry set, or 0; the list of rows; of a
//               manifest, for each row, the numbers of Child. Rows are sorted when they come
//               otherwise.
//   cost        changes O(n); counts before a slot O(n) in a manifest, a short loop over what is in
//               the processor's cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "engine/paged/row_list.h"

namespace laurel {

// An object's number in its space: from 1, never used twice.
using NodeNumber = std::uint64_t;
inline constexpr NodeNumber kNoPagedNode = 0;

// How big objects may be. Tests make them small, so that short histories go through many layers.
// REQUIRES: no fewer rows and bytes than the least, no more bytes than the store's limit.
struct PagedSizes {
  static constexpr std::size_t kRowsMin = 4;
  static constexpr std::size_t kObjectBytesMin = 8192;  // six of the longest rows

  std::size_t entry_set_rows = kPageRowsMax;
  std::size_t manifest_rows = kPageRowsMax;
  std::size_t object_bytes = kStoreValueBytesMax;
  std::size_t cache_bytes = kPagedCacheBytesMax;  // of one engine
  std::size_t notes = kPagedLoggedMax;            // likewise, on a durable store
};

struct Child {
  NodeNumber node = kNoPagedNode;
  std::uint64_t rows = 0;      // of the board, below it
  std::uint64_t distinct = 0;  // scores among them
  ScoreKey first = 0;          // the best of them
};

// What a manifest knows of a node.
struct NodeSummary {
  Child child;
  EngineRow last;  // without data; views into the node
};

class PagedNode {
 public:
  enum class Kind : char { entry_set = 'e', manifest = 'm' };

  PagedNode(Kind kind, const PagedSizes& sizes);

  bool is_manifest() const { return kind_ == Kind::manifest; }
  std::size_t size() const { return rows_.size(); }
  const RowList& rows() const { return rows_; }
  const Child& child(std::size_t slot) const { return children_[slot]; }
  NodeNumber next() const { return next_; }
  void set_next(NodeNumber next) { next_ = next; }

  // Of the board, below this node.
  std::uint64_t row_count() const { return row_count_; }
  std::uint64_t distinct() const { return distinct_; }
  std::uint64_t rows_before(std::size_t slot) const;
  std::uint64_t distinct_before(std::size_t slot) const;
  bool repeats(std::size_t slot) const;
  NodeSummary summary(NodeNumber number) const;

  bool overfull() const { return weight_ > weight_max_; }
  // Then it merges with a neighbour, or takes rows from it.
  bool low() const { return weight_ * 3 < weight_max_; }
  // Not so full that the next few rows would part it again.
  bool settled() const { return weight_ * 6 <= weight_max_ * 5; }
  // The slot before which there is as nearly as can be this many eighths of the weight; never one
  // of the ends.
  std::size_t slot_at(unsigned eighths) const;

  void insert(std::size_t slot, const EngineRow& row);
  void insert(std::size_t slot, const NodeSummary& child);
  void set(std::size_t slot, const NodeSummary& child);
  void erase(std::size_t slot);
  // The rows from the slot on become a node of their own with this one's next.
  PagedNode split_off(std::size_t slot);
  // Takes over all rows and the next of the node that follows.
  void absorb(const PagedNode& follower);

  std::string encode() const;
  // REQUIRES: encode made it, whatever became of the order of rows.
  static PagedNode decode(std::string_view form, const PagedSizes& sizes, Ties ties);

  std::size_t bytes() const;

 private:
  PagedNode(Kind kind, std::size_t rows_max, std::size_t row_weight_min)
      : kind_(kind), row_weight_min_(row_weight_min), weight_max_(rows_max * row_weight_min) {}

  std::uint64_t rows_of(std::size_t slot) const { return is_manifest() ? children_[slot].rows : 1; }
  std::uint64_t distinct_of(std::size_t slot) const {
    return is_manifest() ? children_[slot].distinct : 1;
  }
  ScoreKey first_of(std::size_t slot) const {
    return is_manifest() ? children_[slot].first : rows_.score(slot);
  }
  std::size_t weight_of(std::size_t slot) const;
  void count_in(std::size_t slot);
  void count_out(std::size_t slot);
  void count_all();
  void sort(Ties ties);

  Kind kind_;
  NodeNumber next_ = kNoPagedNode;
  RowList rows_;
  std::vector<Child> children_;  // of a manifest: one a row
  std::uint64_t row_count_ = 0;
  std::uint64_t distinct_ = 0;
  std::size_t weight_ = 0;
  std::size_t row_weight_min_;
  std::size_t weight_max_;
};

}  // namespace laurel
