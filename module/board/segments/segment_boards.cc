#include "board/segments/segment_boards.h"

#include "base/limits.h"

namespace laurel {

void SegmentBoards::note(const Segment& segment) {
  if (with_boards_.size() >= kSegmentBoardsMax) {
    const Segment* const oldest = with_boards_.front();
    with_boards_.pop_front();
    if (oldest->has_loops()) {
      with_boards_.push_back(oldest);
    } else {
      oldest->end_board();
    }
  }
  with_boards_.push_back(&segment);
}

void SegmentBoards::end_all() {
  for (const Segment* const segment : with_boards_) segment->end_board();
  with_boards_.clear();
}

}  // namespace laurel
