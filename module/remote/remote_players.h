// remote_players.h - the players and sessions of a registry that live elsewhere, as the game thread
// knows them.
//
//   ask       a question of ask_players.h, answered at a later tick as those of boards are.
//   forget    the registry's word, that nobody waits for: kept like a post, and asked for until it
//             was done. Of several one after the other.
//   threads   the registry's caller.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "remote/journal.h"
#include "remote/questions.h"

namespace laurel {

class RemotePlayers {
 public:
  // All of them outlive it.
  RemotePlayers(Asks& asks, Journal& journal, Questions& questions, Site& site)
      : asks_(asks), journal_(journal), questions_(questions), site_(site) {}
  RemotePlayers(const RemotePlayers&) = delete;
  RemotePlayers& operator=(const RemotePlayers&) = delete;

  // REQUIRES: is_of_players(what). The id ends in RemoteBoards::cancel.
  Questions::Id ask(Ask what, Questions::Completion done) {
    return questions_.ask_site(site_, std::move(what), std::move(done));
  }

  void forget(std::string_view player);
  // Those whom the store has of an earlier run.
  void restore(const std::vector<Post>& forgotten);
  // Once a tick, after answers were handed out.
  void tick();

  // Under which board's name the journal keeps them: no board has it.
  static constexpr std::string_view kNoBoard = "";

 private:
  void send();
  void answered(const Result<Value>& value);

  Asks& asks_;
  Journal& journal_;
  Questions& questions_;
  Site& site_;
  std::deque<Post> forgotten_;  // the front is under way
  bool sent_ = false;
  Time retry_at_ = 0;
  Time backoff_ = 0;
};

}  // namespace laurel
