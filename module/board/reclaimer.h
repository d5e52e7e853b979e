// reclaimer.h - frees the entries of dropped boards and seasons, a bounded number at a time.
//
//   cost    take() is O(1) for a large engine; work() frees at most the given number of rows.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "engine/engine.h"

namespace laurel {

class Reclaimer {
 public:
  ~Reclaimer() { work(SIZE_MAX); }

  // Frees a small engine at once, a larger one in later calls of work().
  void take(std::unique_ptr<Engine> engine);
  void work(std::size_t rows);
  // Drops all engines without erasing their rows: their store is about to close.
  void drop() { engines_.clear(); }
  std::size_t waiting() const { return engines_.size(); }

 private:
  std::deque<std::unique_ptr<Engine>> engines_;
};

}  // namespace laurel
