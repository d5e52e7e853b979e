// contender.h - what every remote must pass, whoever it talks to: the sentences and the random
// histories of this folder, held against local boards (fake_store.h).
//
// To add a remote: write a file that calls add_contender in a static initialiser, as
// fake_contender.cc does, and list it in a laurel_test beside $<TARGET_OBJECTS:remote_contract> and
// $<TARGET_OBJECTS:fake_remote> (see CMakeLists.txt one folder up). The ground is what lies
// elsewhere: it is made once for a test case, asked for as many connections as there are servers,
// and must be empty of boards of the names it is asked with, which are drawn anew each time.
//
//   engines      the fields of each kind of board that it takes.
//   unsupported  what it may refuse as `unsupported` although a local board answers.
//   steps        of each random history.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "board/fixture.h"
#include "remote/remote.h"

namespace laurel {

class RemoteGround {
 public:
  virtual ~RemoteGround() = default;
  // As another game server.
  virtual std::unique_ptr<Remote> connect() = 0;
};

struct RemoteContender {
  std::string name;
  std::function<std::unique_ptr<RemoteGround>()>
      make;  // null: it cannot be had here, which was said
  std::vector<Fields> engines = {{}};
  std::function<bool(const Request&)> unsupported = [](const Request&) { return false; };
  int histories = 40;
  int steps = 120;
};

// Those that take part, in the order of their adding.
const std::vector<RemoteContender>& remote_contenders();
bool add_contender(RemoteContender contender);

}  // namespace laurel
