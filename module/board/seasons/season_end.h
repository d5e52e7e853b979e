// season_end.h - the end of a season, which is told to names that are registered with the registry.
//
//   name      its handler is called once for the end of each season (registry/season_ends.h).
//   end       is kept with its season, as a row of the board's space, until every name has heard of
//             it. As long as it is kept, the season is kept too.
//   id        no other season has it, in this registry or in another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laurel {

class ArchivedSeason;
class Board;

struct SeasonEnd {
  std::string id;
  std::uint64_t number = 0;        // of two ends in a registry, the later has the greater one
  std::vector<std::string> names;  // those who have not heard of it yet
};

class SeasonEndListener {
 public:
  virtual ~SeasonEndListener() = default;

  // The season is the board's newest past one. Called before any past season is dropped for it.
  virtual void on_end(Board& board, ArchivedSeason& season) = 0;
  // The season is about to be dropped, and has an end that not all names have heard of.
  virtual void on_lose(const Board& board, const ArchivedSeason& season) = 0;
};

}  // namespace laurel
