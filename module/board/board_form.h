// board_form.h - what a board is, as bytes for the store: its row, and a row for each past season.
//
//   spec     its fields by name, as `info` shows them, so that a version with more fields reads it.
//   numbers  as base/bytes.h has them.
//   errors   bad_data: what no version of this form wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/seasons.h"
#include "board/spec.h"
#include "store/space.h"

namespace laurel {

// One season's entries: which season, under which spec, in which spaces.
struct SeasonForm {
  Season season;
  Spec spec;
  SpaceNumber engine = 0;  // the first of its engine's spaces
};

struct BoardForm {
  std::string name;
  Time created = 0;
  SeasonForm running;
  std::optional<Time> due;     // when the running season ends
  bool written = false;        // whether anything was written in it
  std::optional<Time> turned;  // when a rolling board's window last moved on
};

std::string pack_season(const SeasonForm& season);
Result<SeasonForm> unpack_season(std::string_view form);
std::string pack_board(const BoardForm& board);
Result<BoardForm> unpack_board(std::string_view form);

// Letters in a board's space: of its row, its past seasons by number, and players.
inline constexpr char kBoardLetter = 'b';
inline constexpr char kSeasonLetter = 's';
inline constexpr char kJoinedLetter = 'j';
inline constexpr char kPardonedLetter = 'p';
inline constexpr char kHiddenLetter = 'h';
inline constexpr char kCopyLetter = 'c';  // copies of past seasons, by number (board_copies.cc)

}  // namespace laurel
