// remote_players.h - the remote players and sessions of a registry, as the game thread sees them.
//
//   ask      a request of player_request.h, answered at a later tick like those of boards.
//   forget   ordered by the registry, without an answer to the caller (player_erasure.h).
//   names    hear of what this server saves and forgets (remote_names.h).
//   threads  the registry's caller.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "remote/call_queue.h"
#include "remote/core/player_erasure.h"
#include "remote/core/remote_names.h"

namespace laurel {

class RemotePlayers {
 public:
  // The references outlive this object.
  RemotePlayers(PendingRequests& requests, Journal& journal, CallQueue& calls, NamedRemote& remote,
                RemoteNames& names)
      : calls_(calls),
        remote_(remote),
        names_(names),
        forgetting_(requests, journal, remote, std::string(kNoBoard),
                    [](std::string player) -> Request {
                      return request::ForgetPlayer{std::move(player)};
                    }) {
    forgetting_.on_done = [this](std::string_view player) { names_.forgotten(player); };
  }
  RemotePlayers(const RemotePlayers&) = delete;
  RemotePlayers& operator=(const RemotePlayers&) = delete;

  // REQUIRES: is_of_players(what). The id can be given to RemoteBoards::cancel.
  CallQueue::Id ask(Request what, CallQueue::Completion done) {
    const auto* const save = std::get_if<request::SavePlayer>(&what);
    if (save == nullptr || !save->name)
      return calls_.ask_site(remote_, {}, std::move(what), std::move(done));
    CallQueue::Completion told = [this, player = save->id, name = *save->name,
                                  done = std::move(done)](Result<Value> value) {
      if (value) {
        names_.saved(player, name);
      } else if (value.refusal().code() == Code::unavailable) {
        names_.may_have_saved(player);
      }
      done(std::move(value));
    };
    return calls_.ask_site(remote_, {}, std::move(what), std::move(told));
  }

  void forget(std::string_view player) {
    names_.forget(player);
    forgetting_.add(player);
  }
  void restore(const std::vector<Post>& forgotten) {
    for (const Post& post : forgotten) names_.forget(unpack_post(post.row)->what.player);
    forgetting_.restore(forgotten);
  }
  // Called once a tick, after answers were delivered.
  void tick() { forgetting_.tick(); }

  // The board name under which the journal keeps players to forget. No board has this name.
  static constexpr std::string_view kNoBoard = "";

 private:
  CallQueue& calls_;
  NamedRemote& remote_;
  RemoteNames& names_;
  Forgetting forgetting_;
};

}  // namespace laurel
