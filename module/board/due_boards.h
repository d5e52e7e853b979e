// due_boards.h - the boards of a registry by the time when their running season is due to end.
//
//   place    of one board. A board without a schedule has none.
//   order    by that time; boards that are due at one time in the order of their spaces, which is
//            the same after a restart.
//   cost     O(log n) when a board's time changes; finding the next one O(1).
//   threads  one caller at a time; batches that end a season are alone (Board::submit_all).
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"
#include "store/space.h"

namespace laurel {

class Board;

class DueBoards {
  struct Due {
    Time at;
    SpaceNumber space;
    Board* board;
    auto operator<=>(const Due&) const = default;
  };
  using Boards = std::set<Due>;

 public:
  class Place {
   public:
    Place(DueBoards& due, Board& board, SpaceNumber space)
        : boards_(due.boards_), board_(board), space_(space) {}
    ~Place() { move(std::nullopt); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Allocates only if the board had no place.
    void move(std::optional<Time> due) {
      if (at_ == due) return;
      if (at_ && due) {
        auto node = boards_.extract({*at_, space_, &board_});
        node.value().at = *due;
        boards_.insert(std::move(node));
      } else if (due) {
        boards_.insert({*due, space_, &board_});
      } else {
        boards_.erase({*at_, space_, &board_});
      }
      at_ = due;
    }

   private:
    Boards& boards_;
    Board& board_;
    SpaceNumber space_;
    std::optional<Time> at_;
  };

  // The board that is due first, and when; nothing if no board has a schedule.
  std::optional<std::pair<Time, Board*>> next() const {
    if (boards_.empty()) return std::nullopt;
    return std::pair(boards_.begin()->at, boards_.begin()->board);
  }
  std::vector<Board*> all() const {
    std::vector<Board*> boards;
    boards.reserve(boards_.size());
    for (const Due& each : boards_) boards.push_back(each.board);
    return boards;
  }

 private:
  Boards boards_;
};

}  // namespace laurel
