// board_cohorts.h - the cohorts of one season of a board. Players fill cohort 1, 2, ... in the
// order of their first results, and are ranked among the players of their cohort.
//
//   place     a player gets one with the first row in the season, and keeps it
//             (cohort_places.h). A player without a row is not listed.
//   follows   each change of a row (followed_change.h).
//   disk      the places. The orders are made from the board's rows when it is loaded.
//   season    begins with none. A past season keeps its cohorts, and no player enters them.
//   owner     a board has one if its spec has `cohorts`, and so has a past season. Others pay one
//             test for each change.
//   cost      a change of a row: two lookups of the player, and O(log k) in a cohort of k; the
//             first row in the season, with `by`, a read of the player's profile.
//   threads   as the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/log.h"
#include "base/result.h"
#include "board/part_context.h"
#include "board/reclaimer.h"
#include "board/segments/cohort_orders.h"
#include "board/segments/cohort_places.h"
#include "board/segments/followed_change.h"
#include "board/spec/cohort_form.h"
#include "profile/profiles.h"

namespace laurel {

class BoardCohorts {
 public:
  // All of it outlives this. Without profiles no player has attributes.
  struct Context : PartContext {
    const Profiles* profiles;
    const Log& log;
    const std::string& board;  // its name
  };
  // `season`: its number. `order` is its order, until follow() gives another one; none of its rows
  // is taken.
  BoardCohorts(const Context& context, std::uint64_t season, const CohortForm& form,
               const SegmentForm& shown, const EngineView& order,
               CohortPlaces::Named named = CohortPlaces::Named::at_once);

  // From a durable store. Call it once, before anything else. Fails with bad_data.
  Status load(const Engine::LoadProgress& progress) { return places_.load(progress); }
  std::optional<SpaceNumber> space() const { return places_.space(); }
  // With Named::later: the board has these cohorts from now on.
  void name() { places_.name(); }
  // The season has ended: no player enters.
  void close() { is_open_ = false; }
  // Takes all rows of the order. Players without a place enter in the order of their moments, equal
  // ones in that of the bytes of their ids. REQUIRES: none was taken. O(n log n).
  void take_all();
  // The board continues with another order, which is empty: places stay.
  void follow(const EngineView& order);
  // Frees all of it. Called before the order ends.
  void dismantle();

  // As those of BoardSegments.
  void prefetch_player(PlayerHandle player) const { places_.table().prefetch(player); }
  void prefetch_row(PlayerHandle player) const {
    if (const std::uint32_t cohort = places_.of(player)) orders_->prefetch_head(cohort);
  }
  PlayerHandle row_changes(const Player& player);
  void row_changed(std::string_view player, PlayerHandle before, const RowKey* next);
  void rank_by(Ranking ranking);
  // Whether there was a place. REQUIRES: neither player has a row.
  bool forget(std::string_view player) { return places_.forget(player); }
  bool rename(std::string_view from, std::string_view to) { return places_.rename(from, to); }

  // The number of the player's cohort; 0: none.
  std::uint32_t number_of(std::string_view player) const {
    return places_.of(context_.engines.players.find(player));
  }
  // The players of a cohort; empty if there is none with this number. Valid until the board's next
  // change. REQUIRES: the number is not 0.
  const Standings& board(std::uint32_t number) const { return orders_->board(number, shown_); }
  // How many there are.
  std::uint32_t size() const { return places_.table().cohorts(); }
  // Gives entries of a cohort their rank on the whole board, or season: `overall`. O(log n) each.
  void rank_overall(Entries& entries) const;

  // ---- exports, and restoring them before take_all(); false if that cannot be

  // Calls visit(value, cohort) for each cohort that players with a value fill; empty: without one.
  template <typename Visit>
  void each_filled(Visit visit) const {
    places_.table().each_filled(visit);
  }
  // Calls visit(player, cohort) for each place, in any order.
  template <typename Visit>
  void each_place(Visit visit) const {
    places_.table().each([&](PlayerHandle player, std::uint32_t cohort) {
      const IdText id = context_.engines.players.id(player);
      visit(id.view(), cohort);
    });
  }
  bool restore_cohorts(std::uint64_t count) { return places_.restore_cohorts(count); }
  bool restore_filled(std::string_view value, std::uint64_t cohort) {
    return places_.restore_filled(value, cohort);
  }
  bool restore(std::string_view player, std::uint64_t cohort) {
    return places_.restore(player, cohort, form_.size);
  }

  std::size_t bytes() const { return sizeof *this + places_.bytes() + orders_->bytes(); }
  void check() const { orders_->check(); }

 private:
  class NewPlayers;
  std::unique_ptr<CohortOrders> make_orders() const;
  CohortPlaces::Given enter(const Player& player);
  void enter_all(const NewPlayers& players);
  std::string value_of(std::string_view player) const;
  void tell_full();

  Context context_;
  CohortForm form_;
  SegmentForm shown_;
  const EngineView* order_;
  CohortPlaces places_;
  std::unique_ptr<CohortOrders> orders_;
  Arena arena_;
  bool is_open_ = true;
  bool told_full_ = false;
};

using CohortChange = FollowedChange<BoardCohorts>;

}  // namespace laurel
