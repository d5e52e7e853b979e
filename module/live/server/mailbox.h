// mailbox.h - passes data from the game thread to the live thread: the newest window of each board
// and of each follow, and tickets.
//
// A new window replaces one that was not fetched yet. So there is at most one window per published
// board and per follow, even if the live thread is busy for long.
//
//   threads  any thread may put; one thread takes. The lock is held briefly, and never during I/O.
//   cost     put: O(log boards waiting).
//   limits   boards: kLiveBoardsMax. Follows: those that the live thread reported. Tickets: the
//            limits of KeptTickets.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "board/standings/top_snapshot.h"
#include "live/auth/ticket.h"
#include "live/server/follows.h"

namespace laurel {

class Mailbox {
 public:
  // The updates of one board, to be applied in this order.
  struct BoardUpdate {
    bool unpublish = false;
    bool announce = false;  // its first window comes later
    WindowPtr window;       // null: none
  };
  // All updates, to be applied in this order.
  struct Pending {
    std::vector<std::string> revoked;  // players whose tickets end
    std::vector<Ticket> tickets;
    std::map<std::string, BoardUpdate> boards;
    std::map<FollowId, WindowPtr> follows;
  };

  // Returns false if the mailbox holds updates of kLiveBoardsMax other boards.
  bool post(const std::string& board, WindowPtr window) {
    const std::lock_guard lock(mutex_);
    if (is_full_for(board)) return false;
    pending_.boards[board].window = std::move(window);
    return true;
  }

  bool unpublish(const std::string& board) {
    const std::lock_guard lock(mutex_);
    if (is_full_for(board)) return false;
    pending_.boards[board] = {.unpublish = true, .announce = false, .window = nullptr};
    return true;
  }

  bool announce(const std::string& board) {
    const std::lock_guard lock(mutex_);
    if (is_full_for(board)) return false;
    pending_.boards[board].announce = true;
    return true;
  }

  void post(FollowId follow, WindowPtr window) {
    const std::lock_guard lock(mutex_);
    pending_.follows[follow] = std::move(window);
  }

  void add(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    pending_.tickets.push_back(std::move(ticket));
  }

  void revoke(std::string player) {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_.tickets, [&](const Ticket& ticket) { return ticket.player == player; });
    pending_.revoked.push_back(std::move(player));
  }

  Pending take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(pending_, {});
  }

 private:
  bool is_full_for(const std::string& board) const {
    return pending_.boards.size() >= kLiveBoardsMax && !pending_.boards.contains(board);
  }

  std::mutex mutex_;
  Pending pending_;
};

}  // namespace laurel
