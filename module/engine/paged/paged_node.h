// paged_node.h - an object of a paged board: an entry set, or a manifest of other objects.
//
//   entry set  consecutive rows of the board, best first.
//   manifest   a row for each child, best first: the child's counts, and the place of its last row
//              (the child's "lowest").
//   node       an entry set or a manifest. Entry sets at the bottom, manifests above: a counted
//              B+tree.
//   weight     of a row: its bytes in the stored node, but at least its share of a node with the
//              maximum number of rows. So one number tells when a node is full, in rows or in
//              bytes, and where its half is.
//   repeats    a row repeats if it begins with the score with which the previous row ends. The
//              number of distinct scores is the sum over the rows minus the repeats.
//   form       u8 'e' or 'm'; u64 the number of the next entry set, or 0; the list of rows; for a
//              manifest also the numbers of Child for each row. Rows that are not in order are
//              sorted.
//   cost       changes O(n); counts before a slot O(n) in a manifest, a short loop over memory in
//              the processor's cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "engine/paged/row_list.h"

namespace laurel {

// An object's number in its space: from 1, never reused.
using NodeNumber = std::uint64_t;
inline constexpr NodeNumber kNoPagedNode = 0;

// Size limits of objects. Tests use small ones, so that short histories need many layers. REQUIRES:
// at least the minimum of rows and bytes, at most the store's limit of bytes.
struct PagedSizes {
  static constexpr std::size_t kRowsMin = 4;
  static constexpr std::size_t kObjectBytesMin = 8192;  // six of the longest rows

  std::size_t entry_set_rows = kPageRowsMax;
  std::size_t manifest_rows = kPageRowsMax;
  std::size_t object_bytes = kStoreValueBytesMax;
  std::size_t cache_bytes = kPagedCacheBytesMax;  // of one engine
  std::size_t notes = kPagedLoggedMax;            // of one engine, on a durable store
};

struct Child {
  NodeNumber node = kNoPagedNode;
  std::uint64_t rows = 0;      // of the board, below the child
  std::uint64_t distinct = 0;  // distinct scores of these rows
  ScoreKey first = 0;          // the best score
};

// What a manifest stores of a node.
struct NodeSummary {
  Child child;
  EngineRow last;  // without data; views of the node
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

  // The counts of the board's rows below this node.
  std::uint64_t distinct() const { return distinct_; }
  std::uint64_t rows_before(std::size_t slot) const;
  std::uint64_t distinct_before(std::size_t slot) const;
  bool repeats(std::size_t slot) const;
  NodeSummary summary(NodeNumber number) const;

  bool overfull() const { return weight_ > weight_max_; }
  // A low node is merged with a neighbour, or takes rows from it.
  bool low() const { return weight_ * 3 < weight_max_; }
  // True if the node has room for a few more rows before it splits.
  bool settled() const { return weight_ * 6 <= weight_max_ * 5; }
  // The slot before which the weight is closest to this many eighths of the whole; never the first
  // slot or the end.
  std::size_t slot_at(unsigned eighths) const;

  void insert(std::size_t slot, const EngineRow& row);
  void insert(std::size_t slot, const NodeSummary& child);
  void set(std::size_t slot, const NodeSummary& child);
  void erase(std::size_t slot);
  // Moves the rows from the slot on to a new node, which gets this node's next.
  PagedNode split_off(std::size_t slot);
  // Appends all rows of the following node, and takes over its next.
  void absorb(const PagedNode& follower);

  std::string encode() const;
  // REQUIRES: encode made `form`; only the order of the rows may have changed.
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
  std::vector<Child> children_;  // of a manifest: one for each row
  std::uint64_t row_count_ = 0;
  std::uint64_t distinct_ = 0;
  std::size_t weight_ = 0;
  std::size_t row_weight_min_;
  std::size_t weight_max_;
};

}  // namespace laurel
