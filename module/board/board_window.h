// board_window.h - windows of a board, or of a segment or cohort of it: copies of some entries,
// which watches compare and clients receive (standings/top_snapshot.h).
//
//   part     a segment or cohort of the running season. If the board does not have it, its window
//            has no entries.
//   version  the board's, also of a part: it changes with each of them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "board/segments/segment_name.h"
#include "board/standings/top_snapshot.h"

namespace laurel {

class Board;

// What a window has of each entry, besides player, score, rank and moment.
struct WindowFields {
  bool data = false;
  bool rank_changes = true;  // since the last mark; parts have none
};

// A new window of the first n entries.
std::shared_ptr<Window> top_window(const Board& board, const std::optional<SegmentName>& part,
                                   std::size_t n, const WindowFields& fields);
// A new window of the player with n entries above and n below, as Standings::around().
std::shared_ptr<Window> window_around(const Board& board, const std::optional<SegmentName>& part,
                                      std::string_view player, std::size_t n,
                                      const WindowFields& fields);

}  // namespace laurel
