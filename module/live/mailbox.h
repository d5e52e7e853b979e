// mailbox.h - what the game thread has for the live thread: the newest window of each board.
//
// A window that was not fetched yet is replaced by the next one, so the box never holds more than
// one per published board, however long the live thread is busy.
//
//   threads  any may put, one takes. The lock is held for a few pointers' time, never during I/O.
//   cost     put: O(log boards waiting).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/limits.h"
#include "board/window.h"

namespace laurel {

class Mailbox {
 public:
  // What is new of one board, in this order.
  struct Letter {
    bool unpublish = false;
    WindowPtr window;  // null: none after that
  };
  using Letters = std::map<std::string, Letter>;

  // False when the box is full of other boards.
  bool post(const std::string& board, WindowPtr window) {
    const std::lock_guard lock(mutex_);
    if (letters_.size() >= kLiveBoardsMax && !letters_.contains(board)) return false;
    letters_[board].window = std::move(window);
    return true;
  }

  bool unpublish(const std::string& board) {
    const std::lock_guard lock(mutex_);
    if (letters_.size() >= kLiveBoardsMax && !letters_.contains(board)) return false;
    letters_[board] = {true, nullptr};
    return true;
  }

  Letters take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(letters_, {});
  }

 private:
  std::mutex mutex_;
  Letters letters_;
};

}  // namespace laurel
