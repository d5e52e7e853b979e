// node_prefetch.h - prefetches of nodes, so that a search waits for memory once, not at each step.
//
// All functions are always_inline, because g++ 12 drops calls of functions that only prefetch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rank/tree/tree_node.h"

namespace laurel {

// Prefetches the cache lines from offset kFrom to kTo.
template <std::size_t kFrom, std::size_t kTo, typename Node>
[[gnu::always_inline]] inline void prefetch_lines(const Node& node) {
  const char* line = reinterpret_cast<const char*>(&node);
  for (std::size_t offset = kFrom; offset < kTo; offset += 64) __builtin_prefetch(line + offset);
}

[[gnu::always_inline]] inline void prefetch_scores(const Inner& inner) {
  prefetch_lines<0, offsetof(Inner, ties)>(inner);
}
// Without the last three scores of a wide leaf: they are rarely used and would be one line more.
[[gnu::always_inline]] inline void prefetch_scores(const Leaf& leaf) {
  prefetch_lines<0, kLeafScoresEnd>(leaf);
}
// Prefetches the cell as if the leaf had this form. In another form the address may be behind all
// cells.
template <typename Rows>
[[gnu::always_inline]] inline void prefetch_cell_of(const Rows& rows, std::uint8_t cell) {
  constexpr std::size_t kBytes = sizeof rows.cells[0];
  const auto* const bytes = reinterpret_cast<const char*>(rows.cells) + cell * kBytes;
  __builtin_prefetch(bytes, 1);
  __builtin_prefetch(bytes + kBytes - 1, 1);
}
[[gnu::always_inline]] inline void prefetch_cell(const Leaf& leaf, std::uint8_t cell,
                                                 LeafForm likely) {
  switch (likely) {
    case LeafForm::narrow: return prefetch_cell_of(leaf.narrow, cell);
    case LeafForm::middle: return prefetch_cell_of(leaf.middle, cell);
    case LeafForm::wide: return prefetch_cell_of(leaf.wide, cell);
  }
}

// Prefetches what a descent reads.
[[gnu::always_inline]] inline void prefetch_way(const Inner& inner) {
  prefetch_scores(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, rows)>(inner);
}
// Prefetches the number and the counts of one child.
[[gnu::always_inline]] inline void prefetch_child(const Inner& inner, std::uint32_t slot) {
  __builtin_prefetch(&inner.children[slot]);
  __builtin_prefetch(&inner.rows[slot], 1);
  __builtin_prefetch(&inner.runs[slot], 1);
}
[[gnu::always_inline]] inline void prefetch_counts(const Inner& inner) {
  prefetch_lines<0, 64>(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, runs)>(inner);
}
// Prefetches what reading or erasing a row needs.
[[gnu::always_inline]] inline void prefetch_row(const Leaf& leaf, std::uint8_t cell,
                                                LeafForm likely) {
  prefetch_scores(leaf);
  prefetch_cell(leaf, cell, likely);
}

}  // namespace laurel
