// node_prefetch.h - asking for a node's memory, so that a search in it waits once and not at each
// step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rank/tree_node.h"

namespace laurel {

// Its cache lines from one array to another.
template <std::size_t kFrom, std::size_t kTo, typename Node>
void prefetch_lines(const Node& node) {
  const char* line = reinterpret_cast<const char*>(&node);
  for (std::size_t offset = kFrom; offset < kTo; offset += 64) __builtin_prefetch(line + offset);
}

template <typename Node>
void prefetch_scores(const Node& node) {
  prefetch_lines<0, offsetof(Node, ties)>(node);
}

// What a way down reads of a node.
inline void prefetch_way(const Inner& inner) {
  prefetch_scores(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, rows)>(inner);
}
// What a node knows of one child, and counts below it.
inline void prefetch_child(const Inner& inner, std::uint32_t slot) {
  __builtin_prefetch(&inner.children[slot]);
  __builtin_prefetch(&inner.rows[slot], 1);
  __builtin_prefetch(&inner.runs[slot], 1);
}
inline void prefetch_counts(const Inner& inner) {
  prefetch_lines<0, 64>(inner);
  prefetch_lines<offsetof(Inner, children), offsetof(Inner, runs)>(inner);
}
inline void prefetch_players(const Leaf& leaf) {
  prefetch_lines<offsetof(Leaf, players), sizeof(Leaf)>(leaf);
}

// Likewise a leaf's lines that hold so many rows from a slot on.
template <typename T>
void prefetch_slots(const T* slots, std::uint32_t slot, std::size_t count) {
  const char* const first = reinterpret_cast<const char*>(slots + slot);
  const char* const end = reinterpret_cast<const char*>(slots + slot + count);
  for (const char* line = first; line < end; line += 64) __builtin_prefetch(line);
  __builtin_prefetch(end - 1);
}

inline void prefetch_rows(const Leaf& leaf, std::uint32_t slot, std::size_t count) {
  prefetch_lines<0, 64>(leaf);
  prefetch_slots(leaf.scores, slot, count);
  prefetch_slots(leaf.ties, slot, count);
  prefetch_slots(leaf.players, slot, count);
}

}  // namespace laurel
