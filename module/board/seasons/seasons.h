// seasons.h - the running season of a board, and its past seasons.
//
//   season     a period of a board with entries of its own, numbered from 1.
//   due        when the running season should end, by the clock. Seasons end lazily: the first
//              lookup after `due` ends the season.
//   archive    a past season, read-only, as it was when it ended.
//   empty      a season without writes does not end. It continues, and its start becomes the latest
//              time at which a reset was due.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "board/seasons/season_end.h"
#include "board/spec/shared_specs.h"
#include "board/standings/standings.h"
#include "engine/engine.h"

namespace laurel {

class BoardCohorts;

struct Season {
  std::uint64_t number = 1;
  Time started = 0;
  std::optional<Time> ended = {};  // when it was due to end; absent while it runs
};

class ArchivedSeason : public Standings {
 public:
  // The engine uses the space `first` and those after it.
  ArchivedSeason(const Players& players, const Season& season, const SharedSpec& spec,
                 std::unique_ptr<Engine> engine, SpaceNumber first);
  ~ArchivedSeason() override;

  const Season& season() const { return season_; }
  const Spec& spec() const { return *spec_; }  // at its end
  bool lists_groups() const override { return is_of_groups(*spec_); }
  // For filling it.
  Engine& engine() {
    forget_top();
    return *engine_;
  }
  // Returns whether there was an entry.
  bool erase(const Player& player);
  // Moves the player's entry to another id, which has none. Returns whether there was an entry.
  bool rename(std::string_view from, std::string_view to);
  const Engine& engine() const { return *engine_; }
  // The season's cohorts, which no player enters from now on; null: it had none.
  void keep(std::unique_ptr<BoardCohorts> cohorts);
  BoardCohorts* cohorts() { return cohorts_.get(); }
  const BoardCohorts* cohorts() const { return cohorts_.get(); }
  SpaceNumber engine_space() const { return engine_space_; }
  // If the season waits for its copy: the place of Engine::scan to continue from. copy_version()
  // changes with every set_to_copy().
  const std::optional<std::string>& to_copy() const { return to_copy_; }
  std::uint64_t copy_version() const { return copy_version_; }
  void set_to_copy(std::optional<std::string> place) {
    to_copy_ = std::move(place);
    ++copy_version_;
  }
  // Set until every name has heard of the season's end.
  const std::optional<SeasonEnd>& end() const { return end_; }
  void set_end(std::optional<SeasonEnd> end) { end_ = std::move(end); }
  // Whether the season stays longer than the board's `archive` says.
  bool is_awaited() const { return to_copy_ || end_; }
  std::size_t bytes() const;
  // Moves the entries out, to be freed. The season must not be read afterwards.
  std::unique_ptr<Engine> take_engine();

 private:
  template <typename Change>
  auto change(const Player& player, Change change);

  Season season_;
  SharedSpec spec_;
  std::unique_ptr<Engine> engine_;
  SpaceNumber engine_space_;
  std::unique_ptr<BoardCohorts> cohorts_;
  std::optional<std::string> to_copy_;
  std::uint64_t copy_version_ = 0;
  std::optional<SeasonEnd> end_;
};

}  // namespace laurel
