// node_slots.h - moving slots between the arrays of two adjacent nodes of a tree.
#pragma once

#include <cstdint>
#include <cstring>

namespace laurel {

// Afterwards the left array has `keep` of all slots.
template <typename T>
void move_slots(T* left, std::uint32_t left_count, T* right, std::uint32_t right_count,
                std::uint32_t keep) {
  if (keep < left_count) {
    const std::uint32_t moved = left_count - keep;
    std::memmove(right + moved, right, right_count * sizeof(T));
    std::memcpy(right, left + keep, moved * sizeof(T));
  } else {
    const std::uint32_t moved = keep - left_count;
    std::memcpy(left + left_count, right, moved * sizeof(T));
    std::memmove(right, right + moved, (right_count - moved) * sizeof(T));
  }
}

}  // namespace laurel
