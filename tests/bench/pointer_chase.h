// pointer_chase.h - the latency of memory of a board's size, from which the bounds of its
// operations follow: dependent loads of lines that cannot be predicted. The memory is on huge
// pages, if the system has them, like that of a board (base/block_heap.h).
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
  // Over regions of these sizes, in bytes.
  explicit PointerChase(std::span<const std::size_t> regions);

  // Loads a line from each region in turn, `rounds` times. Each line loaded selects the next one,
  // at random. Returns nanoseconds a line, of which one is arithmetic.
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
