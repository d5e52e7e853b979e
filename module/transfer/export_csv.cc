// Writes the entries of a registry as comma-separated values.
#include <vector>

#include "board/standings/entry_cursor.h"
#include "transfer/csv.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

Status write_season(Registry& registry, const Board& board, std::uint64_t season,
                    const Standings& standings, const CsvEntries& table, LineWriter& out) {
  EntryCursor cursor(standings, 0);
  CsvEntries::Place place{.board = board.name(),
                          .season = season,
                          .position = 0,
                          .name = {},
                          .columns = standings.columns().get()};
  for (;;) {
    Entries one;
    if (Status read = cursor.next(one); !read) return read;
    if (one.empty()) return Done{};
    ++place.position;
    if (!standings.lists_groups()) {
      place.name = registry.names_of_players().find(one.front().player);
    }
    out.write(table.row(place, one.front()));
  }
}

}  // namespace

Status export_csv(Registry& registry, LineWriter& out, std::optional<std::string_view> only) {
  std::vector<Board*> boards;
  std::vector<ScoreColumns::Ptr> scores;
  for (const std::string& name : registry.names()) {
    if (only && name != *only) continue;
    const std::optional<BoardHandle> here = registry.find(name);
    if (!here) continue;  // remote
    boards.push_back(registry.get(*here));
    scores.push_back(boards.back()->columns());
  }
  const CsvEntries table(scores);
  out.write(table.header());
  for (const Board* board : boards) {
    for (const std::uint64_t season : board->seasons()) {
      const ArchivedSeason* const past = board->archived(season);
      const Standings& standings = past == nullptr ? static_cast<const Standings&>(*board) : *past;
      if (Status written = write_season(registry, *board, season, standings, table, out);
          !written) {
        return written;
      }
    }
  }
  return Done{};
}

}  // namespace laurel
