// cohort_orders.h - an order for each cohort of a board, of its players who have a row.
//
//   cohort   numbers from 1 on. A cohort has an order from its first row on.
//   players  are of the registry, and held while they have a row.
//   memory   for each row that of a segment (segment.h); about 200 bytes for each cohort.
//   cost     k players of a cohort: O(log k) a change of a row.
//   threads  as the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "board/reclaimer.h"
#include "board/segments/segment.h"
#include "board/segments/segment_boards.h"

namespace laurel {

class CohortOrders final : public Reclaimable {
 public:
  // `order` is the board's. `players` and `order` outlive the use of this, `players` also its end.
  CohortOrders(Players& players, const EngineView& order, Ties ties)
      : players_(players), order_(order), ties_(ties), nobody_(players, ties, order) {}
  ~CohortOrders() override { dismantle(SIZE_MAX); }
  CohortOrders(const CohortOrders&) = delete;
  CohortOrders& operator=(const CohortOrders&) = delete;

  // In all of these `cohort` is not 0. The hints: for the cohort, then for its rows.
  void prefetch_head(std::uint32_t cohort) const {
    if (const Segment* const here = find(cohort)) here->prefetch_head();
  }
  void prefetch(std::uint32_t cohort, PlayerHandle player) {
    if (Segment* const here = find(cohort)) here->prefetch(player);
  }
  // The player's row is this one. REQUIRES: the player has a handle; the id is not a view of the
  // board's rows.
  void put(std::uint32_t cohort, const Player& player, ScoreKey score, Time at);
  // Does nothing if the player has no row.
  void erase(std::uint32_t cohort, const Player& player);
  // Empty if the cohort has no rows. Valid until the next change.
  const SegmentBoard& board(std::uint32_t cohort, const SegmentForm& form) const;
  void rank_by(Ranking ranking) { boards_.rank_by(ranking); }
  // Loops over cohorts end. Call it before `order` ends; then nothing is read here.
  void end_boards() { boards_.end_all(); }

  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const;  // O(cohorts)
  void check() const;         // for tests

 private:
  Segment* find(std::uint32_t cohort) const {
    return cohort <= by_number_.size() ? by_number_[cohort - 1].get() : nullptr;
  }

  Players& players_;
  const EngineView& order_;
  Ties ties_;
  std::deque<std::unique_ptr<Segment>> by_number_;  // null: no row yet
  Segment nobody_;
  mutable SegmentBoards boards_;
};

}  // namespace laurel
