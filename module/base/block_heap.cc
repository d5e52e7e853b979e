#include "base/block_heap.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace laurel {

namespace {

void* take_usual(std::size_t bytes) {
  constexpr std::size_t kAlign = BlockHeap::kAlignment;
  void* const block = std::aligned_alloc(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

std::size_t units_of(std::size_t bytes) {
  return (bytes + BlockHeap::kUnitBytes - 1) / BlockHeap::kUnitBytes;
}

std::byte* map(std::size_t bytes) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

std::size_t beyond_region(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % BlockHeap::kRegionBytes;
}

// Null where there is none. Newer systems place what is as large as a huge page as that wants it.
std::byte* map_aligned() {
  constexpr std::size_t kBytes = BlockHeap::kRegionBytes;
  std::byte* region = map(kBytes);
  if (region == nullptr || beyond_region(region) == 0) return region;
  ::munmap(region, kBytes);
  std::byte* const twice = map(2 * kBytes);
  if (twice == nullptr) return nullptr;
  const std::size_t before = (kBytes - beyond_region(twice)) % kBytes;
  region = twice + before;
  if (before > 0) ::munmap(twice, before);
  ::munmap(region + kBytes, kBytes - before);
  return region;
}

}  // namespace

BlockHeap::~BlockHeap() {
  for (const auto& region : regions_) ::munmap(region->memory, kRegionBytes);
}

void* BlockHeap::take(std::size_t bytes) {
  assert(bytes > 0);
  if (bytes < kBlockMin) return take_usual(bytes);
  const std::lock_guard lock(mutex_);
  if (usual_ + bytes > usual_max_ && bytes <= kRegionBytes) {
    if (void* const block = take_from_regions(units_of(bytes))) return block;
  }
  void* const block = take_usual(bytes);
  usual_ += bytes;
  return block;
}

void BlockHeap::give(void* block, std::size_t bytes) {
  if (bytes < kBlockMin) {
    std::free(block);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (give_to_regions(static_cast<std::byte*>(block), units_of(bytes))) return;
  usual_ -= bytes;
  std::free(block);
}

// The first region where it fits, so that those behind become empty.
void* BlockHeap::take_from_regions(std::size_t units) {
  int searched = 0;
  for (const auto& region : regions_) {
    if (region->run_max < units) continue;
    if (void* const block = take_from(*region, units)) return block;
    if (++searched == kRegionsSearched) break;
  }
  Region* const region = map_region();
  return region == nullptr ? nullptr : take_from(*region, units);
}

// The first units in a row that are free. Null where so many are not.
void* BlockHeap::take_from(Region& region, std::size_t units) {
  std::size_t free = 0;  // of those in a row before `at`
  std::size_t longest = 0;
  for (std::size_t at = 0; at < kUnits; ++at) {
    free = region.used[at] ? 0 : free + 1;
    longest = std::max(longest, free);
    if (free < units) continue;
    const std::size_t first = at + 1 - units;
    for (std::size_t unit = first; unit <= at; ++unit) region.used.set(unit);
    if (region.units_used == 0) --empty_;
    region.units_used += units;
    units_taken_ += units;
    return region.memory + first * kUnitBytes;
  }
  region.run_max = longest;
  return nullptr;
}

BlockHeap::Region* BlockHeap::map_region() {
  auto region = std::make_unique<Region>();
  regions_.reserve(regions_.size() + 1);  // before anything is mapped: it may throw
  region->memory = map_aligned();
  if (region->memory == nullptr) return nullptr;
#if defined(MADV_HUGEPAGE)
  ::madvise(region->memory, kRegionBytes, MADV_HUGEPAGE);
#endif
  const auto behind = std::find_if(regions_.begin(), regions_.end(), [&](const auto& other) {
    return other->memory > region->memory;
  });
  ++empty_;
  return regions_.insert(behind, std::move(region))->get();
}

// Whether it was a region's.
bool BlockHeap::give_to_regions(std::byte* block, std::size_t units) {
  std::byte* const memory = block - beyond_region(block);
  const auto found =
      std::lower_bound(regions_.begin(), regions_.end(), memory,
                       [](const auto& region, std::byte* at) { return region->memory < at; });
  if (found == regions_.end() || (*found)->memory != memory) return false;
  Region& region = **found;
  const std::size_t first = beyond_region(block) / kUnitBytes;
  for (std::size_t unit = first; unit < first + units; ++unit) {
    assert(region.used[unit] && "a block is given back once, with its own size");
    region.used.reset(unit);
  }
  region.units_used -= units;
  region.run_max = kUnits;
  units_taken_ -= units;
  if (region.units_used == 0) {
    ++empty_;
    drop_empty(found);
  }
  return true;
}

// One empty region is kept while others are in use, lest a block that comes and goes maps each
// time.
void BlockHeap::drop_empty(Regions::iterator emptied) {
  if (units_taken_ == 0) {
    for (const auto& region : regions_) ::munmap(region->memory, kRegionBytes);
    regions_ = Regions();  // its memory too
    empty_ = 0;
  } else if (empty_ > 1) {
    ::munmap((*emptied)->memory, kRegionBytes);
    regions_.erase(emptied);
    --empty_;
  }
}

std::size_t BlockHeap::bytes_taken() const {
  const std::lock_guard lock(mutex_);
  return units_taken_ * kUnitBytes;
}

std::size_t BlockHeap::bytes_mapped() const {
  const std::lock_guard lock(mutex_);
  return regions_.size() * kRegionBytes;
}

BlockHeap& block_heap() {
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t kUsual = SIZE_MAX;
#else
  constexpr std::size_t kUsual = BlockHeap::kUsualBytes;
#endif
  // Never destroyed: others' destructors give blocks back. It has no memory of its own then.
  union Immortal {
    Immortal() : heap(kUsual) {}
    ~Immortal() {}  // NOLINT(modernize-use-equals-default): the heap's must not run
    BlockHeap heap;
  };
  static Immortal immortal;
  return immortal.heap;
}

}  // namespace laurel
