// seasons.h - which season runs, and those that ended.
//
//   season     a stretch of a board's life with entries of its own, numbered from 1.
//   due        when the running season ends, a function of the clock: nothing happens then, and
//              whoever looks next finds it ended.
//   archive    a past season, read-only, as it stood when it ended.
//   empty      a season in which nothing was written does not end: it goes on, and its start moves
//              to the latest time when a reset was due.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "board/cron.h"
#include "board/spec.h"
#include "board/standings.h"
#include "engine/engine.h"

namespace laurel {

struct Season {
  std::uint64_t number = 1;
  Time started = 0;
  std::optional<Time> ended = {};  // when its end was due; nothing while it runs
};

class ArchivedSeason : public Standings {
 public:
  // The engine lies in the space `first` and those that follow.
  ArchivedSeason(const Players& players, const Season& season, const Spec& spec,
                 std::unique_ptr<Engine> engine, SpaceNumber first);

  const Season& season() const { return season_; }
  const Spec& spec() const { return spec_; }  // as it stood
  // To be changed.
  Engine& engine() {
    forget_top();
    return *engine_;
  }
  const Engine& engine() const { return *engine_; }
  SpaceNumber engine_space() const { return engine_space_; }
  // While the season waits to be copied: from which place of Engine::scan on; and a number that is
  // another after each word about that.
  const std::optional<std::string>& to_copy() const { return to_copy_; }
  std::uint64_t copy_version() const { return copy_version_; }
  void set_to_copy(std::optional<std::string> place) {
    to_copy_ = std::move(place);
    ++copy_version_;
  }
  std::size_t bytes() const { return sizeof *this + engine_->bytes() + read_bytes(); }
  // The entries, to be freed by somebody else; the season is not read any more.
  std::unique_ptr<Engine> take_engine() { return std::move(engine_); }

 private:
  Season season_;
  Spec spec_;
  std::unique_ptr<Engine> engine_;
  SpaceNumber engine_space_;
  std::optional<std::string> to_copy_;
  std::uint64_t copy_version_ = 0;
};

// The end of the running season, by the clock.
class SeasonClock {
 public:
  // Begins to follow the schedule; nothing: no season ever ends by itself.
  void follow(const std::optional<Cron>& schedule, Time now);
  // Likewise, where another clock left off: the running season is due to end then.
  void resume(const std::optional<Cron>& schedule, std::optional<Time> due);

  // When the season that runs now is due to end.
  std::optional<Time> due() const { return due_; }
  // Whether an end is due that nobody has looked at.
  bool is_due(Time now) const { return due_ && now >= *due_; }
  // Whether an end was due since the last call, and when. A clock that went back makes the end due
  // that comes next after it.
  std::optional<Time> passed(Time now);
  // The latest time at or before `now` when an end was due.
  std::optional<Time> latest(Time now) const;

 private:
  std::unique_ptr<const Cron> schedule_;  // null: no season ends by itself
  std::optional<Time> due_;
  Time looked_ = INT64_MIN;
};

}  // namespace laurel
