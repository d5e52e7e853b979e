// Ends of a board's past seasons that not all names have heard of.
//
//   rows  one by season number, in the transaction of the season itself; erased when all names have
//         heard of the end.
#include <utility>

#include "base/bytes.h"
#include "base/memory_guarantee.h"
#include "board/board.h"

namespace laurel {

void Board::await_hearing(ArchivedSeason& season, SeasonEnd end) {
  season.set_end(std::move(end));
  save_end(season);
}

void Board::note_heard(std::uint64_t number, std::string_view name) {
  const MemoryGuarantee guaranteed;
  ArchivedSeason* const season = find_archived(number);
  if (season == nullptr || !season->end()) return;
  SeasonEnd end = *season->end();
  if (std::erase(end.names, name) == 0) return;
  if (end.names.empty()) {
    season->set_end(std::nullopt);
  } else {
    season->set_end(std::move(end));
  }
  save_end(*season);
  trim_archives();
}

void Board::save_end(const ArchivedSeason& season) const {
  const PersistentRows ends(space_, kEndLetter);
  const std::string key = sortable(season.season().number);
  if (season.end()) {
    ends.put(key, pack_season_end(*season.end()));
  } else {
    ends.erase(key);
  }
}

Status Board::load_ends() {
  Status status = Done{};
  PersistentRows(space_, kEndLetter).each([&](std::string_view key, std::string_view form) {
    ArchivedSeason* const season = find_archived(number_of_sortable(key));
    if (season == nullptr) return;  // dropped by a version that knows no ends
    Result<SeasonEnd> end = unpack_season_end(form);
    if (end) {
      season->set_end(std::move(*end));
    } else {
      status = end.refusal();
    }
  });
  return status;
}

}  // namespace laurel
