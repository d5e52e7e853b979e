// node_prefetch.h - prefetches of nodes, so that a search waits for memory once, not at each step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rank/prefetch.h"
#include "rank/tree/tree_node.h"

namespace laurel {

// Prefetches the cache lines from offset kFrom to kTo.
template <std::size_t kFrom, std::size_t kTo, typename Node>
inline void prefetch_lines(const Node& node) {
  const char* line = reinterpret_cast<const char*>(&node);
  for (std::size_t offset = kFrom; offset < kTo; offset += 64) prefetch(line + offset);
}

inline void prefetch_scores(const Inner& inner) { prefetch_lines<0, offsetof(Inner, ties)>(inner); }
// Without the last three scores of a wide leaf: they are rarely used and would be one line more.
inline void prefetch_scores(const Leaf& leaf) { prefetch_lines<0, kLeafScoresEnd>(leaf); }
// Prefetches the cell as if the leaf had this form. In another form the address may be behind all
// cells.
template <typename Rows>
inline void prefetch_cell_of(const Rows& rows, std::uint8_t cell) {
  constexpr std::size_t kBytes = sizeof rows.cells[0];
  const auto* const bytes = reinterpret_cast<const char*>(rows.cells) + cell * kBytes;
  prefetch_to_write(bytes);
  prefetch_to_write(bytes + kBytes - 1);
}
inline void prefetch_cell(const Leaf& leaf, std::uint8_t cell, LeafForm likely) {
  switch (likely) {
    case LeafForm::narrow: return prefetch_cell_of(leaf.narrow, cell);
    case LeafForm::middle: return prefetch_cell_of(leaf.middle, cell);
    case LeafForm::wide: return prefetch_cell_of(leaf.wide, cell);
    case LeafForm::crowded: return prefetch_cell_of(leaf.crowded, cell);
  }
}

// Prefetches what a descent reads.
inline void prefetch_way(const Inner& inner) {
  prefetch_scores(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, rows)>(inner);
}
// Prefetches the number and the counts of one child.
inline void prefetch_child(const Inner& inner, std::uint32_t slot) {
  prefetch(&inner.children[slot]);
  prefetch_to_write(&inner.rows[slot]);
  prefetch_to_write(&inner.runs[slot]);
}
inline void prefetch_counts(const Inner& inner) {
  prefetch_lines<0, 64>(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, runs)>(inner);
}
// Prefetches what reading or erasing a row needs.
inline void prefetch_row(const Leaf& leaf, std::uint8_t cell, LeafForm likely) {
  prefetch_scores(leaf);
  prefetch_cell(leaf, cell, likely);
}

}  // namespace laurel
