// top_snapshot.h - a snapshot of the top of a board, which watches compare and clients receive.
//
//   entry      a player with score and rank, copied: a window is not affected by later changes.
//   version    the board's count of changes when the snapshot was taken. Versions only increase,
//              and skip the changes between two ticks.
//   epoch      a number that changes when a season ends, when a board is dropped and created again
//              under its name, and when the server restarts.
//   threads    immutable; the game thread and the live thread share it.
//   size       at most kWatchTopMax entries.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "board/standings/change.h"
#include "rank/score/score_columns.h"
#include "rank/tree/rank.h"

namespace laurel {

struct WindowEntry {
  std::string player;
  std::optional<std::string> name;  // the display name, if a profile has it
  std::optional<std::string> data;  // only if asked for
  double score = 0;
  Rank rank;                    // 1-based, in the board's ranking mode
  std::optional<Time> at = {};  // when the score was achieved
  // How many ranks the player climbed since the last mark, if ranked then.
  std::optional<double> rank_change = {};

  friend bool operator==(const WindowEntry&, const WindowEntry&) = default;
};

// A copy of an entry that was read from a board.
WindowEntry window_entry(const Entry& entry, bool with_data);

struct Window {
  std::uint64_t epoch = 0;
  std::uint64_t version = 0;
  std::uint64_t size = 0;            // number of players ranked on the board
  std::vector<WindowEntry> entries;  // best first
  ScoreColumns::Ptr columns = {};    // of the board, if its scores have any
  bool half_ranks = false;           // the board's ranks may end in .5
  bool lists_groups = false;         // the players are groups, which have no names
};

using WindowPtr = std::shared_ptr<const Window>;

}  // namespace laurel
