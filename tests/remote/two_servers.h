// two_servers.h - a server, and another one that writes to the same remote board.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "servers.h"

namespace laurel {

struct TwoServers {
  // `path`: the first one's directory; empty: in memory.
  explicit TwoServers(const std::string& path = {})
      : here(time, store, {.path = path, .rules = nullptr, .weather = {}}) {
    settle();
  }

  // Until both have heard of what the other one wrote.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      here.tick();
      there.tick();
    }
  }
  // By the other server.
  void submit(const std::string& player, double score) {
    CHECK(there.submit(theirs, player, score));
    settle();
  }

  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  GameServer here;
  GameServer there{time, store};
  BoardHandle ours = here.open("world");
  BoardHandle theirs = there.open("world");
};

}  // namespace laurel
