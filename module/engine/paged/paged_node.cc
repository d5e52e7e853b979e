#include "engine/paged/paged_node.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/paged/columns.h"

namespace laurel {

namespace {

constexpr std::size_t kHeaderBytes = 9 + RowList::kHeaderBytes;
constexpr std::size_t kChildBytes = 32;

std::size_t rows_max(PagedNode::Kind kind, const PagedSizes& sizes) {
  const bool is_manifest = kind == PagedNode::Kind::manifest;
  const std::size_t rows = is_manifest ? sizes.manifest_rows : sizes.entry_set_rows;
  assert(rows >= PagedSizes::kRowsMin && sizes.object_bytes >= PagedSizes::kObjectBytesMin);
  return rows;
}

}  // namespace

PagedNode::PagedNode(Kind kind, const PagedSizes& sizes)
    : PagedNode(kind, rows_max(kind, sizes),
                (sizes.object_bytes - kHeaderBytes) / rows_max(kind, sizes)) {}

// The first row has no predecessor, and slot size() has no row.
bool PagedNode::repeats(std::size_t slot) const {
  return slot > 0 && slot < size() && rows_.score(slot - 1) == first_of(slot);
}

std::uint64_t PagedNode::rows_before(std::size_t slot) const {
  if (!is_manifest()) return slot;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < slot; ++i) rows += children_[i].rows;
  return rows;
}

std::uint64_t PagedNode::distinct_before(std::size_t slot) const {
  std::uint64_t distinct = 0;
  for (std::size_t i = 0; i < slot; ++i) distinct += distinct_of(i) - (repeats(i) ? 1 : 0);
  return distinct;
}

NodeSummary PagedNode::summary(NodeNumber number) const {
  NodeSummary summary{{number, row_count_, distinct_, 0}, {}};
  if (size() == 0) return summary;
  summary.child.first = first_of(0);
  summary.last = rows_[size() - 1];
  summary.last.data.reset();
  return summary;
}

std::size_t PagedNode::weight_of(std::size_t slot) const {
  const std::size_t bytes = rows_.form_bytes(slot) + (is_manifest() ? kChildBytes : 0);
  return std::max(bytes, row_weight_min_);
}

std::size_t PagedNode::slot_at(unsigned eighths) const {
  assert(size() >= 2);
  const std::size_t wanted = weight_ / 8 * eighths;
  std::size_t before = 0;
  std::size_t slot = 0;
  while (slot + 1 < size() && before + weight_of(slot) / 2 < wanted) before += weight_of(slot++);
  return std::max<std::size_t>(slot, 1);
}

// Counts the row, and whether it makes the next row repeat.
void PagedNode::count_in(std::size_t slot) {
  row_count_ += rows_of(slot);
  distinct_ += distinct_of(slot);
  distinct_ -= (repeats(slot) ? 1U : 0U) + (repeats(slot + 1) ? 1U : 0U);
  weight_ += weight_of(slot);
}

void PagedNode::count_out(std::size_t slot) {
  row_count_ -= rows_of(slot);
  distinct_ += (repeats(slot) ? 1U : 0U) + (repeats(slot + 1) ? 1U : 0U);
  distinct_ -= distinct_of(slot);
  weight_ -= weight_of(slot);
}

void PagedNode::count_all() {
  row_count_ = rows_before(size());
  distinct_ = distinct_before(size());
  weight_ = 0;
  for (std::size_t slot = 0; slot < size(); ++slot) weight_ += weight_of(slot);
}

void PagedNode::insert(std::size_t slot, const EngineRow& row) {
  assert(!is_manifest());
  distinct_ += repeats(slot) ? 1 : 0;
  rows_.insert(slot, row);
  count_in(slot);
}

void PagedNode::insert(std::size_t slot, const NodeSummary& child) {
  assert(is_manifest());
  distinct_ += repeats(slot) ? 1 : 0;
  rows_.insert(slot, child.last);
  children_.insert(children_.begin() + static_cast<std::ptrdiff_t>(slot), child.child);
  count_in(slot);
}

// Most changes below a child keep its last row; then its text is not rewritten.
void PagedNode::set(std::size_t slot, const NodeSummary& child) {
  assert(is_manifest());
  count_out(slot);
  const EngineRow held = rows_[slot];
  const EngineRow& last = child.last;
  if (held.score != last.score || held.at != last.at || held.player != last.player) {
    rows_.set(slot, last);
  }
  children_[slot] = child.child;
  count_in(slot);
}

void PagedNode::erase(std::size_t slot) {
  count_out(slot);
  rows_.erase(slot);
  if (is_manifest()) children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(slot));
  distinct_ -= repeats(slot) ? 1 : 0;
}

PagedNode PagedNode::split_off(std::size_t slot) {
  PagedNode tail(kind_, weight_max_ / row_weight_min_, row_weight_min_);
  tail.next_ = next_;
  tail.rows_ = rows_.split_off(slot);
  if (is_manifest()) {
    const auto begin = children_.begin() + static_cast<std::ptrdiff_t>(slot);
    tail.children_.assign(begin, children_.end());
    children_.erase(begin, children_.end());
  }
  count_all();
  tail.count_all();
  return tail;
}

void PagedNode::absorb(const PagedNode& follower) {
  rows_.append(follower.rows_);
  children_.insert(children_.end(), follower.children_.begin(), follower.children_.end());
  next_ = follower.next_;
  count_all();
}

std::string PagedNode::encode() const {
  std::string form;
  ByteWriter writer(form, kStoreValueBytesMax);
  writer.u8(static_cast<std::uint8_t>(kind_));
  writer.u64(next_);
  rows_.encode(writer);
  for (const Child& child : children_) {
    const std::array<std::uint64_t, 4> numbers = {child.node, child.rows, child.distinct,
                                                  child.first};
    write_column(writer, std::span<const std::uint64_t>(numbers));
  }
  assert(writer.ok() && "a node is larger than an object of the store");
  return form;
}

PagedNode PagedNode::decode(std::string_view form, const PagedSizes& sizes, Ties ties) {
  ByteReader reader(form);
  PagedNode node(static_cast<Kind>(reader.u8()), sizes);
  node.next_ = reader.u64();
  node.rows_ = RowList::decode(reader);
  if (node.is_manifest()) {
    node.children_.resize(node.size());
    for (Child& child : node.children_) {
      std::array<std::uint64_t, 4> numbers{};
      read_column(reader, std::span<std::uint64_t>(numbers));
      child = {numbers[0], numbers[1], numbers[2], numbers[3]};
    }
  }
  assert(reader.ok() && reader.at_end() && "a node cannot be decoded");
  if (!node.rows_.in_order(ties)) node.sort(ties);
  node.count_all();
  return node;
}

void PagedNode::sort(Ties ties) {
  RowList rows;
  std::vector<Child> children;
  for (std::size_t slot = 0; slot < size(); ++slot) {
    const EngineRow row = rows_[slot];
    const std::size_t to = rows.count_before(row, ties);
    rows.insert(to, row);
    if (!is_manifest()) continue;
    children.insert(children.begin() + static_cast<std::ptrdiff_t>(to), children_[slot]);
  }
  rows_ = std::move(rows);
  children_ = std::move(children);
}

std::size_t PagedNode::bytes() const {
  return sizeof *this + rows_.bytes() + children_.capacity() * sizeof(Child);
}

}  // namespace laurel
