// history.h - what a game does to a registry, operation by operation. It depends only on the seed
// and the number, so that two processes, or a disk and a twin in memory, play the same.
//
//   operation   one call of the registry or of a board, numbered from 1: all kinds of submissions,
//               also in batches, bans, joins, clears, seasons, changed specs, boards dropped and
//               created again, profiles, sessions, and forgotten players.
//   clock       its time is a function of the number. It stops for a while and at times goes back,
//               except with a steady pace: then each operation has its own time, and a refused one
//               does not affect the timestamps of the next.
//   noted       a board of its own records how many operations were played, in the same tick.
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
#include "registry/registry.h"

namespace laurel::crash {

class ScriptClock final : public Clock {
 public:
  explicit ScriptClock(std::shared_ptr<Time> time) : time_(std::move(time)) {}
  Time now() override { return *time_; }

 private:
  std::shared_ptr<Time> time_;
};

// A board of a history. If a field is empty or 0, the engine's default applies.
struct BoardCase {
  std::string_view name;
  std::string_view engine;
  std::string_view of = {};
  std::string_view order = "desc";
  std::string_view keep = "best";
  std::string_view ties = "earliest";
  int decimals = -1;  // -1: not a decimal board
  int shards = 0;
  int cap = 0;
  std::string_view reset = {};
  bool joins = false;
  std::string_view sources = {};  // of a combined board
  std::string_view take = "sum";
};

// Boards that cover every engine, order, keep and ties.
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
    BoardCase{.name = "total", .engine = "combined", .order = "asc", .sources = "ranked sums"},
    BoardCase{.name = "listed", .engine = "combined", .sources = "ranked*", .take = "count"},
    BoardCase{.name = "firsts",
              .engine = "combined",
              .ties = "player",
              .sources = "capped,shards",
              .take = "firsts"},
};

class History {
 public:
  enum class Pace : std::uint8_t { uneven, steady };

  explicit History(std::uint64_t seed, Pace pace = Pace::uneven) : seed_(seed), pace_(pace) {}

  // The clock's time at the operation.
  Time time(std::uint64_t number) const;
  // Plays the operation and returns its answer as text. REQUIRES: the clock is at time(number).
  std::string play(Registry& registry, std::uint64_t number) const;

 private:
  std::uint64_t seed_;
  Pace pace_;
};

// True if the answer says that the disk refused the operation; then it had no effect.
bool was_refused_by_disk(std::string_view answer);

// Records that `number` operations were played. False if the disk refuses.
bool note(Registry& registry, std::uint64_t number);
// The number of operations that the registry has recorded.
std::uint64_t noted(Registry& registry);

}  // namespace laurel::crash
