// node_prefetch.h - asking for a node's memory, so that a search in it waits once and not at each
// step.
//
// All of it is inlined always: g++ 12 drops calls of functions that do nothing but ask.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rank/tree_node.h"

namespace laurel {

// Its cache lines from one array to another.
template <std::size_t kFrom, std::size_t kTo, typename Node>
[[gnu::always_inline]] inline void prefetch_lines(const Node& node) {
  const char* line = reinterpret_cast<const char*>(&node);
  for (std::size_t offset = kFrom; offset < kTo; offset += 64) __builtin_prefetch(line + offset);
}

[[gnu::always_inline]] inline void prefetch_scores(const Inner& inner) {
  prefetch_lines<0, offsetof(Inner, ties)>(inner);
}
// But for the last three of a wide leaf, which it seldom has: for them it would be one line more.
[[gnu::always_inline]] inline void prefetch_scores(const Leaf& leaf) {
  prefetch_lines<0, kLeafScoresEnd>(leaf);
}
// Where the cell lies if the leaf has this form: in another, that may be behind all cells.
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

// What a way down reads of a node.
[[gnu::always_inline]] inline void prefetch_way(const Inner& inner) {
  prefetch_scores(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, rows)>(inner);
}
// What a node knows of one child, and counts below it.
[[gnu::always_inline]] inline void prefetch_child(const Inner& inner, std::uint32_t slot) {
  __builtin_prefetch(&inner.children[slot]);
  __builtin_prefetch(&inner.rows[slot], 1);
  __builtin_prefetch(&inner.runs[slot], 1);
}
[[gnu::always_inline]] inline void prefetch_counts(const Inner& inner) {
  prefetch_lines<0, 64>(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, runs)>(inner);
}
// What it takes to read a row, or to take it out.
[[gnu::always_inline]] inline void prefetch_row(const Leaf& leaf, std::uint8_t cell,
                                                LeafForm likely) {
  prefetch_scores(leaf);
  prefetch_cell(leaf, cell, likely);
}

}  // namespace laurel
