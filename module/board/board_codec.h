// board_codec.h - converts a board's row, and the rows of its past seasons, to and from bytes.
//
//   spec     fields by name, as in `info`, so that a version with more fields can read it.
//   numbers  as in base/bytes.h.
//   errors   bad_data if no version of this code wrote the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/seasons/seasons.h"
#include "board/spec/spec.h"
#include "store/space.h"

namespace laurel {

// A season: its number and times, its spec, and the spaces of its entries.
struct SeasonForm {
  Season season;
  Spec spec;
  SpaceNumber engine = 0;  // the first of its engine's spaces; 0: none yet
};

struct BoardForm {
  std::string name;
  Time created = 0;
  SeasonForm running;
  std::optional<Time> due = std::nullopt;     // when the running season should end
  bool written = false;                       // any write in the running season
  std::optional<Time> turned = std::nullopt;  // when a rolling window last advanced
};

std::string pack_season(const SeasonForm& season);
Result<SeasonForm> unpack_season(std::string_view form);
std::string pack_board(const BoardForm& board);
Result<BoardForm> unpack_board(std::string_view form);
std::string pack_season_end(const SeasonEnd& end);
Result<SeasonEnd> unpack_season_end(std::string_view form);

// Letters in a board's space: its row, its past seasons by number, and sets of players.
inline constexpr char kBoardLetter = 'b';
inline constexpr char kSeasonLetter = 's';
inline constexpr char kJoinedLetter = 'j';
inline constexpr char kPardonedLetter = 'p';
inline constexpr char kHiddenPrefix = 'h';
inline constexpr char kCopyLetter = 'c';  // copies of past seasons, by number (past_seasons.h)
inline constexpr char kEndLetter = 'e';   // ends of past seasons, by number (past_seasons.h)

}  // namespace laurel
