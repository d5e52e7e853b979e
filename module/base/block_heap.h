// block_heap.h - a heap of large blocks for pools, on huge pages if the system has them.
//
// Random access to much memory also misses the TLB. With pages of 2 MiB instead of 4 KiB the page
// tables are small and stay in cache. The host chooses the pages of the C library's heap, so this
// heap allocates blocks from regions of its own, of 2 MiB each.
//
//   small    the first kUsualBytes of blocks, and every block below kBlockMin, come from the C
//            library: a process with few rows maps no region.
//   regions  are mapped one by one and divided into units of 4 KiB. An empty region is unmapped,
//            except one while others are in use. If the system has no free huge page, a region has
//            normal pages. If no region can be mapped, the block comes from the C library.
//   memory   up to 4 MiB more than was requested, plus the free units between blocks.
//   owner    the caller; it returns a block with the size that it was taken with.
//   threads  any, concurrently. The first touch of a huge page takes 0.1 to 10 ms, so a background
//            thread prepares the next region when a region is half used. The thread has ended when
//            all blocks are returned. A caller that needs a region earlier gets normal pages.
//   cost     about 100 ns; about 50 us for the one call per 2 MiB that starts the thread.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/process/fork_guard.h"

namespace laurel {

class BlockHeap {
 public:
  static constexpr std::size_t kRegionBytes = std::size_t{2} << 20;  // a huge page, on x86-64
  static constexpr std::size_t kUnitBytes = 4096;
  static constexpr std::size_t kBlockMin = 4 * kUnitBytes;  // rounding up wastes at most 1/5
  // The pools of a few thousand players take this much, and CPU caches are about that large.
  static constexpr std::size_t kUsualBytes = std::size_t{4} << 20;
  static constexpr std::size_t kAlignment = 64;

  // Blocks come from regions once `usual_bytes` of blocks come from the C library.
  explicit BlockHeap(std::size_t usual_bytes);
  ~BlockHeap();
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  // Aligned to kAlignment, not cleared. Throws std::bad_alloc. REQUIRES: bytes > 0.
  void* take(std::size_t bytes);
  void give(void* block, std::size_t bytes);

  // Bytes of the blocks in regions, rounded up to units.
  std::size_t bytes_taken() const;
  // Bytes of the regions, used or not, without the one that is being prepared.
  std::size_t bytes_mapped() const;

 private:
  static constexpr std::size_t kUnits = kRegionBytes / kUnitBytes;
  // Regions with enough free units that one call searches: it bounds the call's time.
  static constexpr int kRegionsSearched = 8;

  struct Region {
    std::byte* memory = nullptr;
    std::bitset<kUnits> used;
    std::size_t units_used = 0;
    std::size_t run_max = kUnits;  // upper bound of the longest run of free units
  };

  struct NextRegion;

  using Regions = std::vector<std::unique_ptr<Region>>;

  void* take_from_regions(std::size_t units);
  void* take_from(Region& region, std::size_t units);
  Region* map_region();
  void prepare_next();
  void unmap_all();
  bool give_to_regions(std::byte* block, std::size_t units);
  void drop_empty(Regions::iterator emptied);

  const std::size_t usual_max_;
  mutable std::mutex mutex_;
  std::size_t usual_ = 0;        // bytes of large blocks from the C library
  std::size_t units_taken_ = 0;  // in all regions
  std::size_t empty_ = 0;        // empty regions
  Regions regions_;              // by descending address, in which systems map: newer ones are last
  std::unique_ptr<NextRegion> next_;  // if one is being prepared, or is ready
  ForkGuard forks_;
};

// The heap of the process. Under AddressSanitizer all blocks come from the C library, so that a use
// after give() is detected.
BlockHeap& block_heap();

struct GiveBlock {
  std::size_t bytes = 0;
  void operator()(void* block) const { block_heap().give(block, bytes); }
};
template <typename T>
using BlockPtr = std::unique_ptr<T, GiveBlock>;

// An uninitialized array in a block.
template <typename T>
BlockPtr<T[]> make_block_array(std::size_t size) {
  static_assert(std::is_trivial_v<T>);
  const std::size_t bytes = size * sizeof(T);
  return {static_cast<T*>(block_heap().take(bytes)), GiveBlock{bytes}};
}

}  // namespace laurel
