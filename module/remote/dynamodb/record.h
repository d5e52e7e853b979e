// record.h - what the table says of one board: its METADATA item.
//
//   version     goes up with every change of the item; whoever changes it names the one he read.
//   generation  how many boards of this name were dropped before; clears: how often all entries
//               were taken off. Both are part of keys: what was there before is out of sight at
//               once and swept later.
//   token       names the running season in the fences, so that a write which was decided on
//               another season is refused there.
//   due         as board/seasons.h has it; a season in which nothing was written goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "board/cron.h"
#include "rank/ranking.h"
#include "remote/ask.h"
#include "remote/dynamodb/json_item.h"

namespace laurel::dynamodb {

struct PastSeason {
  std::uint64_t number = 0;
  Time started = 0;
  Time ended = 0;
  std::uint64_t clears = 0;  // when it ended
  Ranking ranking = Ranking::competition;
};

// A spec as an attribute of an item.
Json spec_value(const SpecText& spec);
SpecText spec_at(const Json& item);

struct Record {
  bool exists = false;
  std::uint64_t generation = 0;
  std::uint64_t version = 0;
  std::uint64_t revision = 0;  // of the spec
  SpecText spec;
  std::string epoch;  // of this generation: no two boards ever have the same
  std::uint64_t season = 1;
  std::uint64_t clears = 0;
  Time created = 0;
  Time started = 0;
  std::optional<Time> due;
  bool written = false;
  bool odd_ids = false;  // equals that sort by id: some ids were no UTF-8 (EntryKeys::sorts_groups)
  std::vector<PastSeason> past;  // newest first

  // `dropped` is the item that a dropped board leaves. Either may be null.
  static Record read(const Json* metadata, const Json* dropped);
  Json item(std::string_view board) const;

  std::string token() const;
  std::string keep(std::string_view board) const;
  std::string base(std::string_view board) const;
  std::string base_of(std::string_view board, const PastSeason& season) const;
  const PastSeason* find(std::uint64_t season) const;

  // Brings it to the clock. Whether anything changed; seasons that are kept no more are appended to
  // gone.
  bool present(Time now, std::vector<PastSeason>& gone);
  // Ends the running season, which may be empty.
  void end_season(Time ended, Time next_started, std::vector<PastSeason>& gone);
  // Takes another spec, on a board that was brought to the clock.
  void take_spec(const SpecText& text, Time now, std::vector<PastSeason>& gone);
  // The running season as one that is past.
  PastSeason running(Time ended) const;

 private:
  std::optional<std::string> field(std::string_view name) const;
  std::optional<Cron> schedule() const;
  void trim(std::vector<PastSeason>& gone);
};

std::string home_key(std::string_view board);

}  // namespace laurel::dynamodb
