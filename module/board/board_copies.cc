// Copies of a board's past seasons to a remote archive: which are pending, and how far they are.
//
//   rows     one by season number, in the transactions of the seasons themselves: the place where
//            the copy continues, or empty if it ended. Without a row the copy starts at the front,
//            so seasons older than the archive are copied too.
#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/memory_guarantee.h"
#include "board/board.h"

namespace laurel {

ArchivedSeason* Board::find_archived(std::uint64_t number) const {
  for (const auto& season : archives_) {
    if (season->season().number == number) return season.get();
  }
  return nullptr;
}

void Board::wait_for_copy(ArchivedSeason& season, std::string_view place) {
  if (!context_.copies_seasons) return;
  season.set_to_copy(std::string(place));
  const std::string key = sortable(season.season().number);
  if (place.empty()) {
    PersistentRows(space_, kCopyLetter).erase(key);
  } else {
    PersistentRows(space_, kCopyLetter).put(key, place);
  }
  std::vector<Board*>& boards = context_.to_copy;
  if (std::ranges::find(boards, this) == boards.end()) boards.push_back(this);
}

// Rows were removed, and places may have changed: the copy starts again.
void Board::restart_copy(ArchivedSeason& season) {
  if (season.to_copy()) {
    wait_for_copy(season, "");
  } else if (!context_.copies_seasons) {
    PersistentRows(space_, kCopyLetter).erase(sortable(season.season().number));
  }
}

void Board::load_copies() {
  if (!context_.copies_seasons) return;
  std::map<std::uint64_t, std::string> places;
  PersistentRows(space_, kCopyLetter).each([&](std::string_view season, std::string_view place) {
    places.emplace(number_of_sortable(season), place);
  });
  for (const auto& season : archives_) {
    const auto found = places.find(season->season().number);
    if (found == places.end()) {
      wait_for_copy(*season, "");
    } else if (!found->second.empty()) {
      wait_for_copy(*season, found->second);
    }
  }
}

const ArchivedSeason* Board::season_to_copy() const {
  for (auto season = archives_.rbegin(); season != archives_.rend(); ++season) {
    if ((*season)->to_copy()) return season->get();
  }
  return nullptr;
}

bool Board::note_copied(std::uint64_t number, std::uint64_t version, std::string_view to) {
  ArchivedSeason* const season = find_archived(number);
  if (season == nullptr || season->copy_version() != version) return false;
  const MemoryGuarantee guaranteed;
  wait_for_copy(*season, to);
  return true;
}

void Board::end_copy(std::uint64_t number) {
  const MemoryGuarantee guaranteed;
  ArchivedSeason* const season = find_archived(number);
  if (season != nullptr && season->to_copy()) {
    season->set_to_copy(std::nullopt);
    PersistentRows(space_, kCopyLetter).put(sortable(number), "");
    trim_archives();
  }
  if (season_to_copy() == nullptr) std::erase(context_.to_copy, this);
}

}  // namespace laurel
