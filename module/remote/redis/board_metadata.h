// board_metadata.h - a board's own hash: its spec, its running season, and its kept seasons.
//
//   fields    revision, season, started, created, due ("" never), spec:<field>, and for each kept
//             season kept:<number> = "<started> <ended> <ranking>". Times are in microseconds.
//   spec      for the fields that may change during a board's life the hash is authoritative, not
//             the spec of the asking server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "board/seasons.h"
#include "board/spec/spec.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/net/reply.h"
#include "remote/request/request.h"

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

// Parses the reply to HGETALL.
BoardFacts facts_of(const Reply& hash);

// The value of a field of a spec as text; null if it has none.
const std::string* find_field(const SpecText& spec, std::string_view field);
// The number of shards.
std::size_t shards_of(const SpecText& spec);
std::optional<Cron> schedule_of(const SpecText& spec);
std::size_t archive_of(const SpecText& spec);
// The spec with reset, archive, opens, closes, join and ranking taken from the hash.
Spec overlaid(const Spec& known, const SpecText& there);
// Whether the spec has the same values of these fields.
bool agrees(const Spec& known, const SpecText& there);

std::string kept_field(std::uint64_t season);
std::string kept_value(const KeptSeason& kept);
std::string due_value(const std::optional<Time>& due);
// Appends fields and values for HSET.
void append_spec(const SpecText& spec, Words& words);
std::string spec_field(std::string_view field);

}  // namespace laurel::redis
