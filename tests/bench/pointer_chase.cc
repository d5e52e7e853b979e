#include "pointer_chase.h"

#include <algorithm>
#include <new>
#include <random>
#include <sys/mman.h>

#include <benchmark/benchmark.h>

#include "measure.h"

namespace laurel {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

PointerChase::PointerChase(std::span<const std::size_t> regions) {
  std::mt19937 random(1);
  for (const std::size_t bytes : regions) {
    const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    Region& region = regions_.emplace_back();
    region.lines.reset(static_cast<Line*>(std::aligned_alloc(kHugePage, whole)));
    if (!region.lines) throw std::bad_alloc();
    (void)madvise(region.lines.get(), whole, MADV_HUGEPAGE);
    region.count = static_cast<std::uint32_t>(std::max<std::size_t>(2, bytes / sizeof(Line)));
    for (std::uint32_t i = 0; i < region.count; ++i) {
      region.lines[i].number = static_cast<std::uint32_t>(random());
    }
  }
}

// A generator that does not depend on the loads is added to the number found, so that the path
// never repeats.
double PointerChase::run(std::size_t rounds) {
  const Spent before = time_so_far();
  std::uint32_t found = found_;
  std::uint64_t step = step_;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (const Region& region : regions_) {
      // The generator of Knuth's MMIX.
      step = step * 6364136223846793005U + 1442695040888963407U;
      const auto chosen = static_cast<std::uint32_t>(found + (step >> 32));
      found = region.lines[std::uint64_t{chosen} * region.count >> 32].number;
    }
  }
  benchmark::DoNotOptimize(found);
  found_ = found;
  step_ = step;
  const auto loads = static_cast<double>(rounds * regions_.size());
  return (time_so_far() - before).wall * 1e9 / loads;
}

}  // namespace laurel
