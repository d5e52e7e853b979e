// remote_players.h - the players and sessions of a registry that live elsewhere, as the game thread
// knows them.
//
//   ask       a question of ask_players.h, answered at a later tick as those of boards are.
//   forget    the registry's word, that nobody waits for (forgetting.h).
//   threads   the registry's caller.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "remote/forgetting.h"
#include "remote/questions.h"

namespace laurel {

class RemotePlayers {
 public:
  // All of them outlive it.
  RemotePlayers(Asks& asks, Journal& journal, Questions& questions, Site& site)
      : questions_(questions),
        site_(site),
        forgetting_(asks, journal, site, std::string(kNoBoard), [](std::string player) -> Ask {
          return ask::ForgetPlayer{std::move(player)};
        }) {}
  RemotePlayers(const RemotePlayers&) = delete;
  RemotePlayers& operator=(const RemotePlayers&) = delete;

  // REQUIRES: is_of_players(what). The id ends in RemoteBoards::cancel.
  Questions::Id ask(Ask what, Questions::Completion done) {
    return questions_.ask_site(site_, {}, std::move(what), std::move(done));
  }

  void forget(std::string_view player) { forgetting_.add(player); }
  void restore(const std::vector<Post>& forgotten) { forgetting_.restore(forgotten); }
  // Once a tick, after answers were handed out.
  void tick() { forgetting_.tick(); }

  // Under which board's name the journal keeps whom to forget: no board has it.
  static constexpr std::string_view kNoBoard = "";

 private:
  Questions& questions_;
  Site& site_;
  Forgetting forgetting_;
};

}  // namespace laurel
