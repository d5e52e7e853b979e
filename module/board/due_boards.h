// due_boards.h - the boards of a registry by the time when their running season is due to end.
//
//   place    of one board. A board without a schedule has none.
//   cost     O(log n) when a board's time changes; finding the next one O(1).
//   threads  one caller at a time; batches that end a season are alone (Board::submit_all).
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"

namespace laurel {

class Board;

class DueBoards {
  using Boards = std::set<std::pair<Time, Board*>>;

 public:
  class Place {
   public:
    Place(DueBoards& due, Board& board) : boards_(due.boards_), board_(board) {}
    ~Place() { move(std::nullopt); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Allocates only if the board had no place.
    void move(std::optional<Time> due) {
      if (at_ == due) return;
      if (at_ && due) {
        auto node = boards_.extract({*at_, &board_});
        node.value().first = *due;
        boards_.insert(std::move(node));
      } else if (due) {
        boards_.emplace(*due, &board_);
      } else {
        boards_.erase({*at_, &board_});
      }
      at_ = due;
    }

   private:
    Boards& boards_;
    Board& board_;
    std::optional<Time> at_;
  };

  // The board that is due first, and when; nothing if no board has a schedule.
  std::optional<std::pair<Time, Board*>> next() const {
    if (boards_.empty()) return std::nullopt;
    return *boards_.begin();
  }
  std::vector<Board*> all() const {
    std::vector<Board*> boards;
    boards.reserve(boards_.size());
    for (const auto& [due, board] : boards_) boards.push_back(board);
    return boards;
  }

 private:
  Boards boards_;
};

}  // namespace laurel
