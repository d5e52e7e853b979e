#include "board/reclaimer.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"

namespace laurel {

namespace {

// Rows freed between two checks of the budget.
constexpr std::size_t kRowsPerStep = 256;

class ReclaimableEngine final : public Reclaimable {
 public:
  explicit ReclaimableEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
  bool dismantle(std::size_t rows) override { return engine_->dismantle(rows); }

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace

void Reclaimer::take(std::unique_ptr<Engine> engine) {
  take(std::make_unique<ReclaimableEngine>(std::move(engine)));
}

void Reclaimer::take_later(std::unique_ptr<Engine> engine) {
  take_later(std::make_unique<ReclaimableEngine>(std::move(engine)));
}

void Reclaimer::take_later(std::unique_ptr<Reclaimable> rows) { taken_.push_back(std::move(rows)); }

void Reclaimer::take(std::unique_ptr<Reclaimable> rows) {
  take_later(std::move(rows));
  work(kReclaimRowsPerTick);
}

// Without memory it frees later: erasing rows of a store takes some.
void Reclaimer::work(std::size_t rows) {
  if (taken_.empty()) return;
  const MemoryGuarantee guaranteed(std::nothrow, MemoryGuarantee::Frees::yes);
  if (!guaranteed.stands()) return;
  while (rows > 0 && !taken_.empty()) {
    const std::size_t some = std::min(rows, kRowsPerStep);
    if (!taken_.front()->dismantle(some)) taken_.pop_front();
    rows -= some;
  }
}

}  // namespace laurel
