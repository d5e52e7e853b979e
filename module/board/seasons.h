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
#include "board/season_end.h"
#include "board/spec/schedule.h"
#include "board/spec/spec.h"
#include "board/standings/standings.h"
#include "engine/engine.h"

namespace laurel {

struct Season {
  std::uint64_t number = 1;
  Time started = 0;
  std::optional<Time> ended = {};  // when it was due to end; absent while it runs
};

class ArchivedSeason : public Standings {
 public:
  // The engine uses the space `first` and those after it.
  ArchivedSeason(const Players& players, const Season& season, const Spec& spec,
                 std::unique_ptr<Engine> engine, SpaceNumber first);
  ~ArchivedSeason() override { detach_cursors(); }

  const Season& season() const { return season_; }
  const Spec& spec() const { return spec_; }  // at its end
  // For filling it.
  Engine& engine() {
    forget_top();
    return *engine_;
  }
  // Returns whether there was an entry.
  bool erase(const Player& player) {
    forget_top();
    return change_row(player.id, [&] { return engine_->erase(player); });
  }
  // Moves the player's entry to another id, which has none. Returns whether there was an entry.
  bool rename(std::string_view from, std::string_view to);
  const Engine& engine() const { return *engine_; }
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
  std::size_t bytes() const { return sizeof *this + engine_->bytes() + read_bytes(); }
  // Moves the entries out, to be freed. The season must not be read afterwards.
  std::unique_ptr<Engine> take_engine() {
    detach_cursors();
    return std::move(engine_);
  }

 private:
  Season season_;
  Spec spec_;
  std::unique_ptr<Engine> engine_;
  SpaceNumber engine_space_;
  std::optional<std::string> to_copy_;
  std::uint64_t copy_version_ = 0;
  std::optional<SeasonEnd> end_;
};

// Decides, by the clock, when the running season ends.
class SeasonClock {
 public:
  // Starts with this schedule; absent: seasons do not end by themselves.
  void follow(const std::optional<Schedule>& schedule, Time now);
  // Continues after a restart: the running season is due to end at `due`.
  void resume(const std::optional<Schedule>& schedule, std::optional<Time> due);

  // When the running season is due to end.
  std::optional<Time> due() const { return due_; }
  // Whether passed() has to be called: an end is due, or the clock went back.
  bool moves(Time now);
  // Whether an end is due and passed() was not called yet.
  bool is_due(Time now) const { return due_ && now >= *due_; }
  // The end that was due since the last call, if any. After a clock that went back, the next end
  // after the new time is due.
  std::optional<Time> passed(Time now);
  // The latest time at or before `now` when an end was due.
  std::optional<Time> latest(Time now) const;

 private:
  std::unique_ptr<const Schedule> schedule_;  // null: seasons do not end by themselves
  std::optional<Time> due_;
  Time looked_ = INT64_MIN;
};

}  // namespace laurel
