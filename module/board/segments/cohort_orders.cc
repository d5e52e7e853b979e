#include "board/segments/cohort_orders.h"

namespace laurel {

void CohortOrders::put(std::uint32_t cohort, const Player& player, ScoreKey score, Time at) {
  if (by_number_.size() < cohort) by_number_.resize(cohort);
  std::unique_ptr<Segment>& here = by_number_[cohort - 1];
  if (!here) here = std::make_unique<Segment>(players_, ties_, order_);
  if (!here->has(player.handle)) players_.hold(player.handle);
  here->put(player.id, {score, at, player.handle});
}

void CohortOrders::erase(std::uint32_t cohort, const Player& player) {
  Segment* const here = find(cohort);
  if (here == nullptr || !here->has(player.handle)) return;
  here->erase(player.id, player.handle);
  players_.release(player.handle);
}

const SegmentBoard& CohortOrders::board(std::uint32_t cohort, const SegmentForm& form) const {
  const Segment* const here = find(cohort);
  return boards_.board(here == nullptr ? nobody_ : *here, players_, form);
}

bool CohortOrders::dismantle(std::size_t rows) {
  end_boards();
  for (; !by_number_.empty(); by_number_.pop_back()) {
    if (rows == 0) return true;
    --rows;
    Segment* const last = by_number_.back().get();
    if (last == nullptr) continue;
    last->cut(rows, SegmentRows::Releases::yes);
    if (last->size() > 0) return true;
  }
  return false;
}

std::size_t CohortOrders::bytes() const {
  std::size_t bytes = sizeof *this + by_number_.size() * sizeof by_number_.front();
  for (const auto& segment : by_number_) {
    if (segment) bytes += sizeof *segment + segment->bytes();
  }
  return bytes;
}

void CohortOrders::check() const {
  for (const auto& segment : by_number_) {
    if (segment) segment->check();
  }
}

}  // namespace laurel
