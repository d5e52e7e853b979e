#include "base/block_heap.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <csignal>
#include <exception>
#include <new>
#include <sys/mman.h>
#include <thread>

namespace laurel {

namespace {

constexpr std::align_val_t kAlign{BlockHeap::kAlignment};

void* take_usual(std::size_t bytes) { return ::operator new(bytes, kAlign); }
void give_usual(void* block) { ::operator delete(block, kAlign); }

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

// Null on failure. Newer kernels align a mapping of a huge page's size by themselves.
std::byte* map_region_memory() {
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

// A region on a huge page. Writing its first byte makes the kernel allocate the whole page now.
std::byte* map_huge() {
  std::byte* const region = map_region_memory();
#if defined(MADV_HUGEPAGE)
  if (region != nullptr && ::madvise(region, BlockHeap::kRegionBytes, MADV_HUGEPAGE) == 0) {
    *static_cast<volatile std::byte*>(region) = std::byte{0};
  }
#endif
  return region;
}

}  // namespace

// Not a std::future: its thread uses variables of the thread, and the process ends if there is no
// memory for them.
struct BlockHeap::NextRegion {
  std::byte* memory = nullptr;  // of the thread until it is ready
  std::atomic<bool> ready = false;
  std::thread thread;

  void prepare() {
    memory = map_huge();
    ready.store(true, std::memory_order_release);
  }
  bool is_ready() const { return ready.load(std::memory_order_acquire); }
  std::byte* take() {  // waits for the thread
    thread.join();
    return memory;
  }
};

BlockHeap::BlockHeap(std::size_t usual_bytes) : usual_max_(usual_bytes) {}
BlockHeap::~BlockHeap() { unmap_all(); }

void BlockHeap::unmap_all() {
  for (const auto& region : regions_) ::munmap(region->memory, kRegionBytes);
  regions_ = Regions();  // also frees the vector's memory
  empty_ = 0;
  if (!next_) return;
  if (forks_.is_owner_process()) {
    if (std::byte* const region = next_->take()) ::munmap(region, kRegionBytes);
    next_.reset();
  } else {
    // The preparing thread runs in the parent only. What it would fill is leaked: a thread that was
    // not joined may not be destroyed.
    (void)next_.release();
  }
}

void* BlockHeap::take(std::size_t bytes) {
  assert(bytes > 0);
  if (bytes < kBlockMin) return take_usual(bytes);
  const std::lock_guard lock(mutex_);
  if (usual_ + bytes > usual_max_ && bytes <= kRegionBytes) {
    if (void* const block = take_from_regions(units_of(bytes))) {
      if (regions_.back()->units_used >= kUnits / 2) prepare_next();
      return block;
    }
  }
  void* const block = take_usual(bytes);
  usual_ += bytes;
  if (usual_ >= usual_max_ / 4 * 3 && regions_.empty()) prepare_next();
  return block;
}

void BlockHeap::give(void* block, std::size_t bytes) {
  if (bytes < kBlockMin) {
    give_usual(block);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (!give_to_regions(static_cast<std::byte*>(block), units_of(bytes))) {
    usual_ -= bytes;
    give_usual(block);
  }
  if (usual_ == 0 && units_taken_ == 0) unmap_all();
}

// Takes from the oldest region with enough free units, so that newer ones become empty.
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

// Takes the first run of `units` free units. Null if the region has no such run.
void* BlockHeap::take_from(Region& region, std::size_t units) {
  std::size_t free = 0;  // length of the free run that ends at `at`
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
  regions_.reserve(regions_.size() + 1);  // may throw, so do it before mapping
  if (next_ && next_->is_ready()) {
    region->memory = next_->take();
    next_.reset();
  } else {
    region->memory = map_region_memory();
  }
  if (region->memory == nullptr) return nullptr;
  const auto behind = std::find_if(regions_.begin(), regions_.end(), [&](const auto& other) {
    return other->memory < region->memory;
  });
  ++empty_;
  return regions_.insert(behind, std::move(region))->get();
}

// Prepares the next region on a thread of its own, because a huge page takes milliseconds if the
// host must first give the memory to the virtual machine. The thread blocks all signals, so that
// it never runs the game's handlers.
void BlockHeap::prepare_next() {
  if (next_ || !forks_.is_owner_process()) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    auto next = std::make_unique<NextRegion>();
    next->thread = std::thread(&NextRegion::prepare, next.get());
    next_ = std::move(next);
  } catch (const std::exception&) {
    // No thread or no memory is available: the next region has normal pages.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// False if the block is not in a region.
bool BlockHeap::give_to_regions(std::byte* block, std::size_t units) {
  std::byte* const memory = block - beyond_region(block);
  const auto found =
      std::lower_bound(regions_.begin(), regions_.end(), memory,
                       [](const auto& region, std::byte* at) { return region->memory > at; });
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

// Keeps one empty region while others are in use. Otherwise a block that is taken and given back
// repeatedly would map and unmap each time.
void BlockHeap::drop_empty(Regions::iterator emptied) {
  if (empty_ == 1) return;
  ::munmap((*emptied)->memory, kRegionBytes);
  regions_.erase(emptied);
  --empty_;
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
  // Never destroyed, since destructors of other statics give blocks back. After the last block it
  // holds no memory.
  union NoDestructor {
    NoDestructor() : heap(kUsual) {}
    ~NoDestructor() {}  // NOLINT(modernize-use-equals-default): must not destroy the heap
    BlockHeap heap;
  };
  static NoDestructor holder;
  return holder.heap;
}

}  // namespace laurel
