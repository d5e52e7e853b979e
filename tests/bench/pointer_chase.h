// pointer_chase.h - how long the machine takes to fetch what it could not guess: the latency of
// memory as wide as a board, from which the bounds of its operations follow. It lies on huge pages,
// where the system has them, as what a board has does (base/block_heap.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace laurel {

class PointerChase {
 public:
  // Over so many bytes, one step a cache line, in one random circle.
  explicit PointerChase(std::size_t bytes);

  // Goes on along the circle; nanoseconds a step.
  double run(std::size_t steps);

 private:
  struct alignas(64) Line {
    std::uint32_t next = 0;
  };

  struct Free {
    void operator()(Line* lines) const { std::free(lines); }
  };

  std::unique_ptr<Line[], Free> lines_;
  std::uint32_t at_ = 0;
};

}  // namespace laurel
