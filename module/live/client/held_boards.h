// held_boards.h - a client's copy of the list of published boards (wire/board_list.h).
//
//   list      is always one state that the server's list had. A change may take several messages;
//             current() is replaced when the last of them has arrived.
//   again     after each message the client asks for what is newer.
//   limits    at most 2 kLiveBoardsMax boards; a message that leads to more is refused.
//   owner     shares the list that it returns, which does not change.
//   threads   none.
//   cost      O(items in the message), and O(boards) for each new state.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "live/wire/board_list.h"
#include "live/wire/wire.h"

namespace laurel {

struct ListedBoard {
  std::string board;
  std::uint64_t size = 0;  // players ranked on it
  BoardDescription description;

  friend bool operator==(const ListedBoard&, const ListedBoard&) = default;
};
using ListedBoards = std::vector<ListedBoard>;  // in the order of their names
using ListedBoardsPtr = std::shared_ptr<const ListedBoards>;

class HeldBoards {
 public:
  // What to send, so that the server answers with what is newer.
  AskBoards question() const { return {epoch_, version_}; }

  // Applies a message. Returns false if it is damaged or does not continue from question(); then
  // nothing has changed.
  bool take(const BoardList& list);
  // Makes question() one for the whole list. Keeps current().
  void start_over();

  // The newest state; empty until the first one has arrived. A new pointer when it changed.
  const ListedBoardsPtr& current() const { return current_; }
  bool has_any() const { return any_; }

 private:
  using Boards = std::map<std::string, ListedBoard, std::less<>>;

  std::uint64_t epoch_ = 0;
  std::uint64_t version_ = 0;  // of boards_
  Boards boards_;
  bool any_ = false;
  ListedBoardsPtr current_ = std::make_shared<const ListedBoards>();
};

}  // namespace laurel
