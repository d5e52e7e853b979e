// segment_boards.h - which segments of an order have a board, and so keep what they have read.
//
//   limit    kSegmentBoardsMax: the one that got its board first ends, unless it has a loop.
//   threads  as the board.
#pragma once

#include <deque>

#include "board/segments/segment.h"

namespace laurel {

class SegmentBoards {
 public:
  // The segment's board, which is made if it has none.
  const SegmentBoard& board(const Segment& segment, const Players& players,
                            const SegmentForm& form) {
    if (!segment.has_board()) note(segment);
    return segment.board(players, form);
  }
  // The segment ends.
  void forget(const Segment& segment) {
    if (segment.has_board()) std::erase(with_boards_, &segment);
  }
  void rank_by(Ranking ranking) {
    for (const Segment* const segment : with_boards_) segment->rank_by(ranking);
  }
  // Loops over all of them end.
  void end_all();

 private:
  void note(const Segment& segment);

  std::deque<const Segment*> with_boards_;  // the one that got its board first is first
};

}  // namespace laurel
