// small_blocks.h - memory for what a Lua state makes and drops all the time: small tables, short
// texts. A block that was given back is the next one of its size, still in the cache.
//
//   blocks   of 1 to kBytesMax bytes, in classes of 16; they lie in one region, never given back
//            while this lives: what a state needed once it will need again.
//   limit    kRegionBytes. Where the region is used up there is none, and the caller asks
//            elsewhere; so whoever fills it with blocks of one size wastes no more than that.
//   cost     a few ns, where malloc and free take some 40 together.
//   threads  none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace laurel {

class SmallBlocks {
 public:
  static constexpr std::size_t kBytesMax = 256;
  static constexpr std::size_t kRegionBytes = std::size_t{256} << 10;

  // A block for so many bytes, aligned to 16; null where there is none, or for sizes beyond.
  void* take(std::size_t bytes) {
    if (bytes > kBytesMax) return nullptr;
    Free*& free = free_[class_of(bytes)];
    if (free == nullptr) return cut(bytes);
    Free* const block = free;
    free = block->next;
    return block;
  }
  // REQUIRES: take(bytes) answered with it, or with a block of the same class.
  void give_back(void* block, std::size_t bytes) {
    Free*& free = free_[class_of(bytes)];
    free = new (block) Free{free};
  }
  bool owns(const void* block) const {
    const auto first = reinterpret_cast<std::uintptr_t>(region_.get());
    return reinterpret_cast<std::uintptr_t>(block) - first < kRegionBytes;
  }
  // Whether a block of one size is as good for the other.
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
  // From where nothing was taken yet.
  void* cut(std::size_t bytes) {
    const std::size_t steps = class_of(bytes) + 1;
    if (steps > kRegionBytes / kStep - used_) return nullptr;
    Step* const block = region_.get() + used_;
    used_ += steps;
    return block;
  }

  // Not zeroed: the system gives the memory when it is touched.
  std::unique_ptr<Step[]> region_{new Step[kRegionBytes / kStep]};
  std::size_t used_ = 0;  // steps
  std::array<Free*, kBytesMax / kStep> free_{};
};

}  // namespace laurel
