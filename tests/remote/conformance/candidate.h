// candidate.h - what every remote must pass: the single tests and the random histories of this
// folder, compared with local boards (fake_store.h).
//
// To add a remote: write a file that calls add_candidate in a static initialiser, as
// fake_candidate.cc does, and list it in a laurel_test beside $<TARGET_OBJECTS:remote_conformance>
// and $<TARGET_OBJECTS:fake_remote> (see CMakeLists.txt one folder up). A RemoteGround is the
// shared back end. It is made once for a test case and opens one connection for each simulated
// server. It must not hold boards of the names that a test uses; these are random.
//
//   engines      the fields of each kind of board that the remote takes.
//   unsupported  requests that it may refuse as `unsupported` although a local board answers them.
//   owned_ids    boards on which the id of a result is its player's: two players may use one id.
//   counts_players  boards that may have a `capacity`; others are refused as `unsupported`.
//   keeps_unheard  whether seasons stay beyond `archive` until all names have heard of their ends.
//   steps        the length of each random history.
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
  // A new connection, as another game server.
  virtual std::unique_ptr<Remote> connect() = 0;
};

struct RemoteCandidate {
  std::string name;
  // Returns null if this machine lacks the remote; a message has said so.
  std::function<std::unique_ptr<RemoteGround>()> make;
  std::vector<Fields> engines = {{}};
  std::function<bool(const SentRequest&)> unsupported = [](const SentRequest&) { return false; };
  std::function<bool(const Spec&)> owned_ids = [](const Spec&) { return false; };
  std::function<bool(const Spec&)> counts_players = [](const Spec&) { return true; };
  bool keeps_unheard = true;
  int histories = 40;
  int steps = 120;
};

// Returns true.
bool add_candidate(RemoteCandidate candidate);
// Calls `test` for each remote that this machine has, in the order in which they were added, each
// with a ground of its own.
void each_remote(const std::function<void(const RemoteCandidate&, RemoteGround&)>& test);

}  // namespace laurel
