// board_metadata.h - a board's own hash: its spec, its running season, and its kept seasons.
//
//   fields    revision, season, started, created, due ("" never), counting, spec:<field>, and for
//             each kept season kept:<number> = "<started> <ended> <ranking>". Times are in
//             microseconds.
//   heard     heard:<name> = "<heard> <teller> <until>" (season_end_request.h).
//   counting  goes up when attempts are counted again in the same season: a period passed in which
//             nothing was written, or the board was without `attempts`.
//   spec      for the fields of same_mutable_fields() the hash is authoritative, not the spec of
//             the asking server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "board/seasons/seasons.h"
#include "board/spec/spec.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/net/reply.h"
#include "remote/request/request.h"
#include "remote/request/running_season.h"

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
  std::uint64_t counting = 0;
  std::vector<KeptSeason> kept;  // newest first
  Hearings hearings;

  const KeptSeason* find(std::uint64_t season) const;
  RunningSeason running() const { return {season.started, due}; }
};

// Parses the reply to HGETALL.
BoardFacts facts_of(const Reply& hash);

// The value of a field of a spec as text; null if it has none.
const std::string* find_field(const SpecText& spec, std::string_view field);
// The number of shards.
std::size_t shards_of(const SpecText& spec);
std::size_t archive_of(const SpecText& spec);

std::string kept_field(std::uint64_t season);
std::string heard_field(std::string_view name);
std::string kept_value(const KeptSeason& kept);
std::string counting_value(std::uint64_t counting);  // "" for 0
std::string due_value(const std::optional<Time>& due);
// Appends fields and values for HSET.
void append_spec(const SpecText& spec, Words& words);
std::string spec_field(std::string_view field);

}  // namespace laurel::redis
