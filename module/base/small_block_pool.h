// small_block_pool.h - an allocator for the short-lived values of a Lua state: small tables, short
// texts. A freed block is the next one of its size to be allocated, while it is still in the cache.
//
//   blocks   of 1 to kBytesMax bytes, in size classes of 16 bytes, in one region that is freed with
//            the object: what a state needed once it will need again.
//   limit    kRegionBytes. If the region is full, the caller uses another allocator. So a state
//            that fills the region with blocks of one size wastes at most that.
//   cost     a few ns, compared with about 40 ns for malloc and free together.
//   threads  none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace laurel {

class SmallBlockPool {
 public:
  static constexpr std::size_t kBytesMax = 256;
  static constexpr std::size_t kRegionBytes = std::size_t{256} << 10;

  // Allocates a block of `bytes`, aligned to 16. Null if the region is full or `bytes` too large.
  void* take(std::size_t bytes) {
    if (bytes > kBytesMax) return nullptr;
    Free*& free = free_[class_of(bytes)];
    if (free == nullptr) return cut(bytes);
    Free* const block = free;
    free = block->next;
    return block;
  }
  // REQUIRES: the block is from take(), for a size of the same class.
  void give_back(void* block, std::size_t bytes) {
    Free*& free = free_[class_of(bytes)];
    free = new (block) Free{free};
  }
  bool owns(const void* block) const {
    const auto first = reinterpret_cast<std::uintptr_t>(region_.get());
    return reinterpret_cast<std::uintptr_t>(block) - first < kRegionBytes;
  }
  // True if both sizes have the same class.
  static bool alike(std::size_t bytes, std::size_t others) {
    return others <= kBytesMax && class_of(bytes) == class_of(others);
  }

 private:
  static constexpr std::size_t kStep = 16;
  struct Free {
    Free* next;
  };
  struct alignas(kStep) Step {
    std::byte bytes[kStep];
  };

  static std::size_t class_of(std::size_t bytes) { return (bytes - 1) / kStep; }
  // Allocates from the unused part of the region.
  void* cut(std::size_t bytes) {
    const std::size_t steps = class_of(bytes) + 1;
    if (steps > kRegionBytes / kStep - used_) return nullptr;
    Step* const block = region_.get() + used_;
    used_ += steps;
    return block;
  }

  // Not zeroed: the system provides the memory when it is first used.
  std::unique_ptr<Step[]> region_{new Step[kRegionBytes / kStep]};
  std::size_t used_ = 0;  // steps
  std::array<Free*, kBytesMax / kStep> free_{};
};

}  // namespace laurel
