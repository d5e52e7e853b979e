// cohort_places.h - which cohort of a season each player is in.
//
//   place     the number of a cohort, from 1. It is given once, and stays until the player is
//             forgotten; the place is then free again while the cohort is the one that is filled.
//   value     of the attribute that divides the cohorts; empty: none. Players with the same value
//             fill one cohort after the other, of the numbers that are next when one begins.
//   emptied   a cohort whose last player was forgotten is no longer filled, so that nothing tells
//             the value.
//   disk      in a durable store a row for each player, one for each value, and one with the number
//             of cohorts, in a space of its own; a row of the board, under the season's number,
//             names the space.
//   limit     kSegmentValuesMax values at a time, fewer in tests; kCohortsMax cohorts.
//   memory    per player 4 bytes, or up to 16 if the season has few of the registry's players; 16
//             bytes for each cohort, and about 100 for each value. A player is held.
//   cost      v values: O(log v) a place; of() about a cache miss.
//   threads   as the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "board/part_context.h"
#include "board/reclaimer.h"
#include "engine/engine.h"
#include "rank/player/player_numbers.h"
#include "store/space.h"

namespace laurel {

// The letter of those rows in a board's space. The other letters are in board_codec.h.
inline constexpr char kCohortsLetter = 'k';

// The places in memory.
class PlaceTable final : public Reclaimable {
 public:
  explicit PlaceTable(Players& players, std::size_t values_max = kSegmentValuesMax)
      : players_(players), values_max_(values_max) {}
  ~PlaceTable() override;
  PlaceTable(const PlaceTable&) = delete;
  PlaceTable& operator=(const PlaceTable&) = delete;

  // The player's cohort; 0: none.
  std::uint32_t of(PlayerHandle player) const {
    const std::uint32_t number = player == kNoPlayer ? kNoNumber : numbers_.find(player);
    return number == kNoNumber ? 0 : number;
  }
  void prefetch(PlayerHandle player) const { numbers_.prefetch(player); }
  std::uint32_t cohorts() const { return static_cast<std::uint32_t>(cohorts_.size()); }
  std::uint32_t players(std::uint32_t cohort) const { return cohorts_[cohort - 1].players; }

  // The next place of players with this value, in a cohort of at most `size`; `begins`: it is a new
  // one. 0 if there are too many values.
  struct Next {
    std::uint32_t cohort = 0;
    bool begins = false;
  };
  Next next(std::string_view value, std::uint32_t size);
  // REQUIRES: the player has no place; the cohort exists.
  PlayerHandle enter(const Player& player, std::uint32_t cohort);
  // Takes the player out. `value`: if the cohort is no longer filled, that of its players.
  // Returns false if there was no place.
  bool erase(PlayerHandle player, std::optional<std::string>& value);

  // Restoring: the number of cohorts, first, and the cohort that players with a value fill. False
  // if that cannot be.
  bool set_cohorts(std::uint64_t count);
  bool set_filled(std::string_view value, std::uint64_t cohort);

  // Calls visit(player, cohort), in any order.
  template <typename Visit>
  void each(Visit visit) const {
    numbers_.each(visit);
  }
  // Calls visit(value, cohort), in the order of bytes.
  template <typename Visit>
  void each_filled(Visit visit) const {
    for (const auto& [value, cohort] : filled_) visit(std::string_view(value), cohort);
  }
  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const;

 private:
  struct Cohort {
    std::uint32_t players = 0;
    const std::string* filled_by = nullptr;  // the value in filled_; null: it is not filled
  };

  Players& players_;
  std::size_t values_max_;
  PlayerNumbers numbers_;
  std::deque<Cohort> cohorts_;                                // by number, the first is 1
  std::map<std::string, std::uint32_t, std::less<>> filled_;  // the newest cohort of each value
};

class CohortPlaces {
 public:
  // `season`: its number. With Named::later the board's row names no places before name().
  enum class Named : bool { at_once, later };
  CohortPlaces(const PartContext& context, std::uint64_t season, Named named);
  ~CohortPlaces();
  CohortPlaces(const CohortPlaces&) = delete;
  CohortPlaces& operator=(const CohortPlaces&) = delete;

  // From a durable store. Call it once, before anything else. Fails with bad_data.
  Status load(const Engine::LoadProgress& progress);
  std::optional<SpaceNumber> space() const { return space_; }
  void name();
  // Frees all of it, to be done later.
  void retire();

  const PlaceTable& table() const { return *table_; }
  std::uint32_t of(PlayerHandle player) const { return table_->of(player); }
  // Gives the player a place, and holds the player; returns the cohort and the handle. The cohort
  // is 0 if there are too many values. REQUIRES: the player has none.
  struct Given {
    std::uint32_t cohort = 0;
    PlayerHandle player = kNoPlayer;
  };
  Given enter(const Player& player, std::string_view value, std::uint32_t size);
  // Returns false if there was no place.
  bool forget(std::string_view player);
  bool rename(std::string_view from, std::string_view to);

  // From an import, in this order. False if that cannot be.
  bool restore_cohorts(std::uint64_t count);
  bool restore_filled(std::string_view value, std::uint64_t cohort);
  bool restore(std::string_view player, std::uint64_t cohort, std::uint32_t size);

  std::size_t bytes() const { return sizeof *this + table_->bytes(); }

 private:
  void open(SpaceNumber space);
  bool is_written();
  void write(char letter, std::string_view key, std::uint32_t number);
  void erase_row(char letter, std::string_view key);
  bool load_row(std::string_view row, std::string_view value);

  PartContext context_;
  std::uint64_t season_;
  bool named_;
  std::unique_ptr<PlaceTable> table_;
  std::optional<SpaceNumber> space_;
  std::unique_ptr<WriteBuffer> rows_;  // null if the store is not durable, or nothing is written
  std::string row_;                    // these two are kept for their memory
  std::string number_;
};

}  // namespace laurel
