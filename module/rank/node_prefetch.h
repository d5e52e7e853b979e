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
// But for the last three, which a leaf seldom has: for them it would be one line more.
[[gnu::always_inline]] inline void prefetch_scores(const Leaf& leaf) {
  prefetch_lines<0, offsetof(Leaf, cells) / 64 * 64>(leaf);
}
[[gnu::always_inline]] inline void prefetch_cell(const Leaf& leaf, std::uint8_t cell) {
  const auto* const bytes = reinterpret_cast<const char*>(&leaf.cells[cell]);
  __builtin_prefetch(bytes, 1);
  __builtin_prefetch(bytes + sizeof(Cell) - 1, 1);
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
[[gnu::always_inline]] inline void prefetch_row(const Leaf& leaf, std::uint8_t cell) {
  prefetch_lines<0, offsetof(Leaf, cells)>(leaf);
  prefetch_cell(leaf, cell);
}
}  // namespace laurel
