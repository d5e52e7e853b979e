// pointer_chase.h - how long the machine takes to fetch what it could not guess: the latency of
// memory as wide as a board, from which the bounds of its operations follow. It lies on huge pages,
// where the system has them, as what a board has does (base/block_heap.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace laurel {

class PointerChase {
 public:
  // Over regions of so many bytes each.
  explicit PointerChase(std::span<const std::size_t> regions);

  // Goes from region to region, so many times through all: in each to a line that what was found in
  // the one before chooses, any of them alike. Nanoseconds a line, of which one is arithmetic.
  double run(std::size_t rounds);

 private:
  struct alignas(64) Line {
    std::uint32_t number = 0;
  };
  struct Free {
    void operator()(Line* lines) const { std::free(lines); }
  };
  struct Region {
    std::unique_ptr<Line[], Free> lines;
    std::uint32_t count = 0;
  };

  std::vector<Region> regions_;
  std::uint32_t found_ = 0;
  std::uint64_t step_ = 1;
};

}  // namespace laurel
