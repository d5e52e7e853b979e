// remote_players.h - the remote players and sessions of a registry, as the game thread sees them.
//
//   ask      a request of player_request.h, answered at a later tick like those of boards.
//   forget   ordered by the registry, without an answer to the caller (player_erasure.h).
//   threads  the registry's caller.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "remote/call_queue.h"
#include "remote/core/player_erasure.h"

namespace laurel {

class RemotePlayers {
 public:
  // The references outlive this object.
  RemotePlayers(PendingRequests& requests, Journal& journal, CallQueue& calls, NamedRemote& remote)
      : calls_(calls),
        remote_(remote),
        forgetting_(requests, journal, remote, std::string(kNoBoard),
                    [](std::string player) -> Request {
                      return request::ForgetPlayer{std::move(player)};
                    }) {}
  RemotePlayers(const RemotePlayers&) = delete;
  RemotePlayers& operator=(const RemotePlayers&) = delete;

  // REQUIRES: is_of_players(what). The id can be given to RemoteBoards::cancel.
  CallQueue::Id ask(Request what, CallQueue::Completion done) {
    return calls_.ask_site(remote_, {}, std::move(what), std::move(done));
  }

  void forget(std::string_view player) { forgetting_.add(player); }
  void restore(const std::vector<Post>& forgotten) { forgetting_.restore(forgotten); }
  // Called once a tick, after answers were delivered.
  void tick() { forgetting_.tick(); }

  // The board name under which the journal keeps players to forget. No board has this name.
  static constexpr std::string_view kNoBoard = "";

 private:
  CallQueue& calls_;
  NamedRemote& remote_;
  Forgetting forgetting_;
};

}  // namespace laurel
