// entry_extras.h - what scripts read in entries besides the fields that all entries have: the names
// of players, their scores on other boards, and how far they climbed since a mark.
//
//   names    of the registry's own profiles, or of those of the remote that keeps players, as on
//            the live channel. Without a name in the registry nothing is looked up.
//   scores   that the players hold on local boards: { with = { "kills", "deaths" } }. A board that
//            was dropped meanwhile has none.
//   groups   of boards of groups have no names, and scores on such boards alone.
//   changes  of ranks since the board's last mark, if it has marks.
//   owner    the extras own their bytes: they stay valid when boards and profiles change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "board/standings/change.h"
#include "board/standings/standings.h"
#include "registry/registry.h"

namespace laurel {

struct EntryExtras {
  std::vector<std::string_view> names;  // of each entry, empty if it has none; or no names at all
  std::vector<std::string> boards;      // of `with`
  std::vector<ScoreColumns::Ptr> columns_of;        // of those boards, null without columns
  bool with = false;                                // asked for, perhaps with no board
  bool of_groups = false;                           // the entries are of groups, not of players
  std::vector<std::optional<double>> scores;        // of each entry, on each board
  std::vector<std::optional<double>> rank_changes;  // of each entry; or none at all
  Arena arena;                                      // the bytes of the names
  ScoreColumns::Ptr columns;  // of the entries' own board, if its scores have any

  // Reads what only the entries' board knows: the columns and the changes of ranks. REQUIRES: the
  // entries are views of the board.
  void read_of_board(const Standings& board, const Entries& entries);
  // Reads the other extras of these entries. REQUIRES: `boards` and `with` are set.
  void read(Registry& registry, const Entries& entries);
  void clear();
};

}  // namespace laurel
