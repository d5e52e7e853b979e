// reclaimer.h - frees what dropped boards and ended seasons held, a bounded number of rows at a
// time.
//
//   cost    take() is O(1) for a large engine; work() frees at most the given number of rows.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "engine/engine.h"

namespace laurel {

// What is freed in steps.
class Reclaimable {
 public:
  virtual ~Reclaimable() = default;
  // Frees up to `rows` rows; returns true if any are left. After the first call it must not be used
  // otherwise.
  virtual bool dismantle(std::size_t rows) = 0;
};

class Reclaimer {
 public:
  ~Reclaimer() { work(SIZE_MAX); }

  // Frees what is small at once, what is larger in later calls of work().
  void take(std::unique_ptr<Engine> engine);
  void take(std::unique_ptr<Reclaimable> rows);
  // As take(), but frees nothing now.
  void take_later(std::unique_ptr<Engine> engine);
  void take_later(std::unique_ptr<Reclaimable> rows);
  void work(std::size_t rows);
  // Drops all without erasing their rows: their store is about to close.
  void drop() { taken_.clear(); }
  std::size_t waiting() const { return taken_.size(); }

 private:
  std::deque<std::unique_ptr<Reclaimable>> taken_;
};

}  // namespace laurel
