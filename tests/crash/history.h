// history.h - what a game does to a registry, operation by operation: the same again for the same
// seed and number, so that two processes, or a disk and a twin in memory, play the same.
//
//   operation   one call of the registry or of a board, from 1 on: submissions of every kind, many
//               at once too, bans, joins, clears, seasons, other specs, boards that go and come,
//               profiles, sessions, and players who are forgotten.
//   clock       where it stands is a function of the number. It stands still for a while and at
//               times goes back, unless it is to be steady: then no two operations meet, and one
//               that is refused leaves no trace in the moments of the next.
//   noted       a board of its own says how many operations were played, in the same tick as they.
//   threads     one caller at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "board/registry.h"

namespace laurel::crash {

class ScriptClock final : public Clock {
 public:
  explicit ScriptClock(std::shared_ptr<Time> time) : time_(std::move(time)) {}
  Time now() override { return *time_; }

 private:
  std::shared_ptr<Time> time_;
};

// A board of a history. Where a field is empty or 0 the engine's own default stands.
struct BoardCase {
  std::string_view name;
  std::string_view engine;
  std::string_view of = {};
  std::string_view order = "desc";
  std::string_view keep = "best";
  std::string_view ties = "earliest";
  int decimals = -1;  // -1: numbers as they are
  int shards = 0;
  int cap = 0;
  std::string_view reset = {};
  bool joins = false;
};

// A board of every engine, order, keep and ties.
inline constexpr std::array kBoards = {
    BoardCase{.name = "best", .engine = "padded", .decimals = 0},
    BoardCase{.name = "sums", .engine = "padded", .order = "asc", .keep = "sum", .decimals = 2},
    BoardCase{.name = "seasons",
              .engine = "padded",
              .keep = "latest",
              .ties = "player",
              .decimals = 0,
              .reset = "*/5 * * * *"},
    BoardCase{.name = "club", .engine = "padded", .ties = "latest", .decimals = 1, .joins = true},
    BoardCase{.name = "parts",
              .engine = "sharded",
              .of = "padded",
              .keep = "first",
              .ties = "player_desc",
              .decimals = 0,
              .shards = 3,
              .reset = "*/7 * * * *"},
    BoardCase{.name = "ranked", .engine = "ranked"},
    BoardCase{.name = "ranked sums",
              .engine = "ranked",
              .order = "asc",
              .keep = "sum",
              .ties = "latest",
              .decimals = 2,
              .reset = "*/6 * * * *"},
    BoardCase{.name = "capped", .engine = "capped", .cap = 7},
    BoardCase{.name = "rolling", .engine = "rolling", .decimals = 0},
    BoardCase{.name = "paged", .engine = "paged", .ties = "player"},
    BoardCase{.name = "paged sums", .engine = "paged", .keep = "sum", .reset = "*/6 * * * *"},
    BoardCase{.name = "shards", .engine = "sharded", .shards = 4, .reset = "*/8 * * * *"},
    BoardCase{.name = "paged shards", .engine = "sharded", .of = "paged", .shards = 3},
};

class History {
 public:
  enum class Pace : std::uint8_t { uneven, steady };

  explicit History(std::uint64_t seed, Pace pace = Pace::uneven) : seed_(seed), pace_(pace) {}

  // Where the clock stands at the operation.
  Time time(std::uint64_t number) const;
  // Plays the operation; what it answered, as words. REQUIRES: the clock stands there.
  std::string play(Registry& registry, std::uint64_t number) const;

 private:
  std::uint64_t seed_;
  Pace pace_;
};

// Whether an operation's answer says that the disk refused it: then it did nothing.
bool was_refused_by_disk(std::string_view answer);

// Writes down how many operations were played; false where the disk refuses.
bool note(Registry& registry, std::uint64_t number);
// How many were, as the registry has it.
std::uint64_t noted(Registry& registry);

}  // namespace laurel::crash
