// board_facts.h - a board's own hash: its spec, which season runs, and which are kept.
//
//   fields    revision, season, started, created, due ("" never), spec:<field>, and for each season
//             kept kept:<number> = "<started> <ended> <ranking>". Times are microseconds.
//   spec      of the fields that may change while the board lives, those that the hash has count,
//             not those that the asking server knew.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "board/seasons.h"
#include "board/spec.h"
#include "remote/ask.h"
#include "remote/redis/connection.h"
#include "remote/redis/reply.h"

namespace laurel::redis {

struct KeptSeason {
  Season season;
  Ranking ranking = Ranking::competition;
};

struct BoardFacts {
  bool exists = false;
  SpecText spec;
  std::uint64_t revision = 0;
  Season season;
  Time created = 0;
  std::optional<Time> due;
  std::vector<KeptSeason> kept;  // newest first

  const KeptSeason* find(std::uint64_t season) const;
};

// From the answer to HGETALL.
BoardFacts facts_of(const Reply& hash);

// A field's value in a spec's text; null where it has none.
const std::string* find_field(const SpecText& spec, std::string_view field);
// Over how many shards it spreads its players.
std::size_t shards_of(const SpecText& spec);
std::optional<Cron> schedule_of(const SpecText& spec);
std::size_t archive_of(const SpecText& spec);
// The spec with what the hash says of reset, archive, opens, closes, join, and ranking.
Spec overlaid(const Spec& known, const SpecText& there);
// Whether it says the same of those already.
bool agrees(const Spec& known, const SpecText& there);

std::string kept_field(std::uint64_t season);
std::string kept_value(const KeptSeason& kept);
std::string due_value(const std::optional<Time>& due);
// Fields and values, for HSET.
void append_spec(const SpecText& spec, Words& words);
std::string spec_field(std::string_view field);

}  // namespace laurel::redis
