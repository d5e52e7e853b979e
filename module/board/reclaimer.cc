#include "board/reclaimer.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"

namespace laurel {

namespace {

// Rows freed between two checks of the budget.
constexpr std::size_t kRowsPerStep = 256;

}  // namespace

void Reclaimer::take(std::unique_ptr<Engine> engine) {
  engines_.push_back(std::move(engine));
  work(kReclaimRowsPerTick);
}

// Without memory it frees later: erasing rows of a store takes some.
void Reclaimer::work(std::size_t rows) {
  if (engines_.empty()) return;
  const MemoryGuarantee guaranteed(std::nothrow, MemoryGuarantee::Frees::yes);
  if (!guaranteed.stands()) return;
  while (rows > 0 && !engines_.empty()) {
    const std::size_t some = std::min(rows, kRowsPerStep);
    if (!engines_.front()->dismantle(some)) engines_.pop_front();
    rows -= some;
  }
}

}  // namespace laurel
