// board_metadata.h - the METADATA item of one board.
//
//   version     goes up with every change of the item. A writer names the version that it has read.
//   generation  how many boards of this name were dropped before; clears: how often the entries
//               were cleared. Both are part of keys, so that older items become invisible at once
//               and can be swept later.
//   token       names the running season in the fences. A write that was decided in another season
//               fails there.
//   counting    goes up when attempts are counted again in the same season: a period passed in
//               which nothing was written, or the board was without `attempts`.
//   due         as in board/seasons/seasons.h. A season without writes continues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "rank/tree/ranking.h"
#include "remote/dynamodb/net/json_item.h"
#include "remote/request/request.h"
#include "remote/request/running_season.h"

namespace laurel::dynamodb {

struct PastSeason {
  std::uint64_t number = 0;
  Time started = 0;
  Time ended = 0;
  std::uint64_t clears = 0;  // at its end
  Ranking ranking = Ranking::competition;
};

// A spec, or other pairs of texts, as an attribute of an item. The first text of a pair is UTF-8.
Json pairs_value(const SpecText& pairs);
SpecText pairs_at(const Json& item, const char* attribute);

struct Record {
  bool exists = false;
  std::uint64_t generation = 0;
  std::uint64_t version = 0;
  std::uint64_t revision = 0;  // of the spec
  SpecText spec;
  std::string epoch;  // random, different for each generation
  std::uint64_t season = 1;
  std::uint64_t clears = 0;
  Time created = 0;
  Time started = 0;
  std::optional<Time> due;
  std::uint64_t counting = 0;
  bool written = false;
  bool odd_ids =
      false;  // some ids are escaped in keys, so ties by id need sorting (EntryKeys::sorts_groups)
  std::vector<PastSeason> past;  // newest first
  Hearings hearings;

  // `dropped` is the item that a dropped board leaves behind. Either may be null.
  static Record read(const Json* metadata, const Json* dropped);
  Json item(std::string_view board) const;

  std::string token() const;
  std::string keep(std::string_view board) const;
  std::string base(std::string_view board) const;
  std::string base_of(std::string_view board, const PastSeason& season) const;
  const PastSeason* find(std::uint64_t season) const;

  // Applies season ends that are due. Returns whether anything changed. Appends seasons that are no
  // longer kept to `gone`. Fails with unavailable: this server cannot read the spec.
  Result<bool> present(Time now, std::vector<PastSeason>& gone);
  // Ends the running season, even an empty one.
  void end_season(Time ended, Time next_started, std::vector<PastSeason>& gone);
  // Replaces the spec. REQUIRES: present(now) was called. Fails with bad_data.
  Status take_spec(const SpecText& text, Time now, std::vector<PastSeason>& gone);
  RunningSeason hours() const { return {started, due}; }
  // The running season as a past one.
  PastSeason running(Time ended) const;

 private:
  std::optional<std::string> field(std::string_view name) const;
  void trim(std::vector<PastSeason>& gone);
};

std::string home_key(std::string_view board);

}  // namespace laurel::dynamodb
