// mailbox.h - what the game thread has for the live thread: the newest window of each board and of
// each player who is followed, and tickets.
//
// A window that was not fetched yet is replaced by the next one, so the box never holds more than
// one per published board and per follow, however long the live thread is busy.
//
//   threads  any may put, one takes. The lock is held for a few pointers' time, never during I/O.
//   cost     put: O(log boards waiting).
//   limits   boards: kLiveBoardsMax. Follows and tickets: as many as the live thread told of, and
//            as the game may hand out.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "board/window.h"
#include "live/follows.h"
#include "live/ticket.h"

namespace laurel {

class Mailbox {
 public:
  // What is new of one board, in this order.
  struct Letter {
    bool unpublish = false;
    bool announce = false;  // its first window comes later
    WindowPtr window;       // null: none after that
  };
  // All that is new, in this order.
  struct Mail {
    std::vector<std::string> revoked;  // players whose tickets end
    std::vector<Ticket> tickets;
    std::map<std::string, Letter> boards;
    std::map<FollowId, WindowPtr> follows;
  };

  // False when the box is full of other boards.
  bool post(const std::string& board, WindowPtr window) {
    const std::lock_guard lock(mutex_);
    if (is_full_for(board)) return false;
    mail_.boards[board].window = std::move(window);
    return true;
  }

  bool unpublish(const std::string& board) {
    const std::lock_guard lock(mutex_);
    if (is_full_for(board)) return false;
    mail_.boards[board] = {.unpublish = true, .announce = false, .window = nullptr};
    return true;
  }

  bool announce(const std::string& board) {
    const std::lock_guard lock(mutex_);
    if (is_full_for(board)) return false;
    mail_.boards[board].announce = true;
    return true;
  }

  void post(FollowId follow, WindowPtr window) {
    const std::lock_guard lock(mutex_);
    mail_.follows[follow] = std::move(window);
  }

  void add(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    mail_.tickets.push_back(std::move(ticket));
  }

  void revoke(std::string player) {
    const std::lock_guard lock(mutex_);
    std::erase_if(mail_.tickets, [&](const Ticket& ticket) { return ticket.player == player; });
    mail_.revoked.push_back(std::move(player));
  }

  Mail take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(mail_, {});
  }

 private:
  bool is_full_for(const std::string& board) const {
    return mail_.boards.size() >= kLiveBoardsMax && !mail_.boards.contains(board);
  }

  std::mutex mutex_;
  Mail mail_;
};

}  // namespace laurel
