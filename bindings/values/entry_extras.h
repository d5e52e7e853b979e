// entry_extras.h - what scripts read in entries besides what their board knows: the names of
// players, and their scores on other boards.
//
//   names    of the registry's own profiles, also for entries of remote boards, as on the live
//            channel. Without a name in the registry nothing is looked up.
//   scores   that the players hold on local boards: { with = { "kills", "deaths" } }. A board that
//            was dropped meanwhile has none.
//   owner    the extras own their bytes: they stay valid when boards and profiles change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "board/standings/change.h"
#include "registry/registry.h"

namespace laurel {

struct EntryExtras {
  std::vector<std::string_view> names;  // of each entry, empty if it has none; or no names at all
  std::vector<std::string> boards;      // of `with`
  std::vector<ScoreColumns::Ptr> columns_of;  // of those boards, null without columns
  bool with = false;                          // asked for, perhaps with no board
  std::vector<std::optional<double>> scores;  // of each entry, on each board
  Arena arena;                                // the bytes of the names
  ScoreColumns::Ptr columns;                  // of the entries' own board, if its scores have any

  // Reads the extras of these entries, except `columns`. REQUIRES: `boards` and `with` are set.
  void read(Registry& registry, const Entries& entries);
  void clear();
};

}  // namespace laurel
