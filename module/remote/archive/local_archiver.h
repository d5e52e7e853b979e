// local_archiver.h - copies past seasons of local boards to the remote called "archive".
//
//   which    the seasons that the registry reports (Registry::board_to_copy), the oldest of a board
//            first, one season at a time.
//   amount   kCopyRows rows are read in a tick, and only when the previous ones are acknowledged.
//            This bounds a tick, however large the season or slow the remote is.
//   restart  continues after the rows that were acknowledged. Writing rows twice is harmless.
//   failure  rows that the remote does not acknowledge are sent again after a delay. If it refuses
//            them permanently, that is logged and the season no longer waits.
//   forget   when the registry forgets a player, all copies do, kept like a post. Nothing is copied
//            meanwhile, and a copy in progress starts again, so that no row of the player that was
//            in flight remains.
//   threads  the registry's caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "remote/core/player_erasure.h"
#include "remote/core/retrying_request.h"

namespace laurel {

class LocalArchiver {
 public:
  // The references outlive this object.
  LocalArchiver(PendingRequests& requests, Journal& journal, NamedRemote& remote);
  LocalArchiver(const LocalArchiver&) = delete;
  LocalArchiver& operator=(const LocalArchiver&) = delete;

  void forget(std::string_view player) { forgetting_.add(player); }
  void restore(const std::vector<Post>& forgotten) { forgetting_.restore(forgotten); }
  // Called once a tick, after answers were delivered.
  void tick();

  // The remote's name, and the board name under which the journal keeps players to forget. No board
  // has this name.
  static constexpr std::string_view kSite = "archive";
  static constexpr std::string_view kNoBoard{"\0archive", 8};

 private:
  // The rows in flight.
  struct Sent {
    std::string board;
    Time created = 0;
    std::uint64_t season = 0;
    std::uint64_t version = 0;  // of the copy
    std::string to;
    bool last = false;
  };

  void send(Board& board);
  void answered(const Sent& sent, const Result<Value>& value);

  PendingRequests& requests_;
  NamedRemote& remote_;
  Forgetting forgetting_;
  RetryingRequest request_;
};

}  // namespace laurel
