// remote_players.h - the remote players and sessions of a registry, as the game thread sees them.
//
//   ask      a request of ask_players.h, answered at a later tick like those of boards.
//   forget   ordered by the registry, without an answer to the caller (forgetting.h).
//   threads  the registry's caller.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "remote/forgetting.h"
#include "remote/questions.h"

namespace laurel {

class RemotePlayers {
 public:
  // The references outlive this object.
  RemotePlayers(Asks& asks, Journal& journal, Questions& questions, Site& site)
      : questions_(questions),
        site_(site),
        forgetting_(asks, journal, site, std::string(kNoBoard), [](std::string player) -> Ask {
          return ask::ForgetPlayer{std::move(player)};
        }) {}
  RemotePlayers(const RemotePlayers&) = delete;
  RemotePlayers& operator=(const RemotePlayers&) = delete;

  // REQUIRES: is_of_players(what). The id can be given to RemoteBoards::cancel.
  Questions::Id ask(Ask what, Questions::Completion done) {
    return questions_.ask_site(site_, {}, std::move(what), std::move(done));
  }

  void forget(std::string_view player) { forgetting_.add(player); }
  void restore(const std::vector<Post>& forgotten) { forgetting_.restore(forgotten); }
  // Called once a tick, after answers were delivered.
  void tick() { forgetting_.tick(); }

  // The board name under which the journal keeps players to forget. No board has this name.
  static constexpr std::string_view kNoBoard = "";

 private:
  Questions& questions_;
  Site& site_;
  Forgetting forgetting_;
};

}  // namespace laurel
