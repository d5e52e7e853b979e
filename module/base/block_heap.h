// block_heap.h - blocks for pools that grow large, on huge pages where the system has them.
//
// What is spread over much memory waits for the tables that say where its pages are, too: with
// pages of 2 MiB in place of 4 KiB these are few, and in cache. The C library's heap belongs to the
// host, who chooses its pages; so a heap of ours hands out blocks of regions, which are 2 MiB each.
//
//   small    the first kUsualBytes of blocks, and every block below kBlockMin, come from the C
//            library: whoever has little pays nothing.
//   regions  are mapped one by one, are cut into units of 4 KiB, and are unmapped when they are
//            empty, but for one while others are in use. Where a system has no huge pages, or none
//            left, a region has usual ones; where it has no region, the C library is asked.
//   memory   up to 4 MiB more than was asked for, and what lies free between blocks.
//   owner    the caller, who gives a block back with the size that it was taken with.
//   threads  any, at the same time. A huge page comes at once and takes 0.1 to 10 ms; so a thread
//            of our own fetches the next one while the second half of a region is handed out. It
//            has ended when all blocks were given back. Who is faster gets a region of usual pages.
//   cost     some 100 ns; one call in 2 MiB, which starts that thread, some 50 us.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/fork_guard.h"

namespace laurel {

class BlockHeap {
 public:
  static constexpr std::size_t kRegionBytes = std::size_t{2} << 20;  // a huge page, on x86-64
  static constexpr std::size_t kUnitBytes = 4096;
  static constexpr std::size_t kBlockMin = 4 * kUnitBytes;  // smaller ones would waste their units
  // What a pool or two of a few thousand players take. Caches hold as much, or nearly.
  static constexpr std::size_t kUsualBytes = std::size_t{4} << 20;
  static constexpr std::size_t kAlignment = 64;

  // From so many bytes in blocks on there are regions.
  explicit BlockHeap(std::size_t usual_bytes) : usual_max_(usual_bytes) {}
  ~BlockHeap();
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  // Aligned to kAlignment, not cleared. Throws std::bad_alloc. REQUIRES: bytes > 0.
  void* take(std::size_t bytes);
  void give(void* block, std::size_t bytes);

  // Bytes of blocks in regions, whole units of them.
  std::size_t bytes_taken() const;
  // Bytes of the regions, used or not, but for one that is being prepared.
  std::size_t bytes_mapped() const;

 private:
  static constexpr std::size_t kUnits = kRegionBytes / kUnitBytes;
  // Of those where a block may fit: more would make one call long.
  static constexpr int kRegionsSearched = 8;

  struct Region {
    std::byte* memory = nullptr;
    std::bitset<kUnits> used;
    std::size_t units_used = 0;
    std::size_t run_max = kUnits;  // no more free units lie in a row
  };

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
  std::size_t units_taken_ = 0;  // of all regions
  std::size_t empty_ = 0;        // regions
  Regions regions_;              // by address, downwards, as systems map: newer ones come later
  std::future<std::byte*> next_;
  ForkGuard forks_;
};

// The process's. Under AddressSanitizer all of it is the C library's, so that whoever uses a block
// that was given back is found.
BlockHeap& block_heap();

struct GiveBlock {
  std::size_t bytes = 0;
  void operator()(void* block) const { block_heap().give(block, bytes); }
};
template <typename T>
using BlockPtr = std::unique_ptr<T, GiveBlock>;

// An array in a block, not cleared.
template <typename T>
BlockPtr<T[]> make_block_array(std::size_t size) {
  static_assert(std::is_trivial_v<T>);
  const std::size_t bytes = size * sizeof(T);
  return {static_cast<T*>(block_heap().take(bytes)), GiveBlock{bytes}};
}

}  // namespace laurel
