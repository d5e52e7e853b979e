// reclaimer.h - frees the entries of boards and seasons that are gone, a bounded number at a time.
//
//   cost    swapping an engine out is O(1), however many entries it holds; work() frees at most as
//           many rows as it is told.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "engine/engine.h"

namespace laurel {

class Reclaimer {
 public:
  ~Reclaimer() { work(SIZE_MAX); }

  // Frees a small engine at once, a larger one as work() is called.
  void take(std::unique_ptr<Engine> engine);
  void work(std::size_t rows);
  // Lets go of all of them as they are: their store is about to end.
  void drop() { engines_.clear(); }
  std::size_t waiting() const { return engines_.size(); }

 private:
  std::deque<std::unique_ptr<Engine>> engines_;
};

}  // namespace laurel
