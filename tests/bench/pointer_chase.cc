#include "pointer_chase.h"

#include <algorithm>
#include <new>
#include <random>
#include <sys/mman.h>
#include <utility>

#include <benchmark/benchmark.h>

#include "measure.h"

namespace laurel {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

// Sattolo's shuffle: a permutation that is one circle.
PointerChase::PointerChase(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  lines_.reset(static_cast<Line*>(std::aligned_alloc(kHugePage, whole)));
  if (!lines_) throw std::bad_alloc();
  (void)madvise(lines_.get(), whole, MADV_HUGEPAGE);
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(2, bytes / sizeof(Line)));
  for (std::uint32_t i = 0; i < count; ++i) lines_[i].next = i;
  std::mt19937_64 random(1);
  for (std::uint32_t i = count - 1; i > 0; --i) {
    std::swap(lines_[i].next, lines_[random() % i].next);
  }
}

double PointerChase::run(std::size_t steps) {
  const Spent before = time_so_far();
  for (std::size_t i = 0; i < steps; ++i) at_ = lines_[at_].next;
  benchmark::DoNotOptimize(at_);
  return (time_so_far() - before).wall * 1e9 / static_cast<double>(steps);
}

}  // namespace laurel
