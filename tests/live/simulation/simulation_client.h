// simulation_client.h - a client as a game has one, ticked once a frame, with a record of
// everything that it was shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "live/client/client_core.h"
#include "live/simulation/lossy_network.h"

namespace laurel::test {

inline constexpr Time kMillisecond = 1000;

// A client's player and credentials.
struct Identity {
  std::string player;  // the player of its token; empty: none
  Credentials credentials = no_token();
  bool good = false;   // a server that requires tokens must admit it
  bool token = false;  // it shows a token, valid or not
};

// A view of one board, and everything that was shown of it.
struct Follower {
  std::size_t n = 0;
  std::uint8_t version = kWireVersionMax;  // of the protocol that the client speaks
  WindowPtr last;                          // null while refused
  std::size_t incarnation = 0;             // of the newest window ever shown
  std::string refused;                     // the last refusal, if no window came after it
  int windows = 0;
  std::map<std::uint64_t, Time> seen_at;  // by version, the first time
};

class SimulatedClient {
 public:
  SimulatedClient(LossyNetwork& network, Identity identity, Time frame, std::uint64_t seed)
      : player(std::move(identity.player)),
        good(identity.good),
        token(identity.token),
        end(network.client()),
        version(seed % 3 == 0 ? 1 : kWireVersionMax),
        core(*end, std::move(identity.credentials), seed, version),
        frame_(frame) {}

  // The client is not ticked until then.
  void stop_until(Time until) { next_frame_ = std::max(next_frame_, until); }

  // The time of its next tick: at the first frame after something came, and at intervals.
  Time due_at() const { return std::max(next_frame_, std::min(end->next_at(), idle_until_)); }
  void tick(Time now) {
    next_frame_ = now + frame_;
    idle_until_ = now + kIdle;
    core.tick(now);
  }

  // The number of windows shown of all that it follows now.
  std::uint64_t windows() const {
    std::uint64_t sum = 0;
    for (const auto& [view, follower] : follows)
      sum += static_cast<std::uint64_t>(follower.windows);
    return sum;
  }

  const std::string player;
  const bool good, token;
  std::unique_ptr<LossyNetwork::End> end;
  const std::uint8_t version;  // the newest of the protocol that it speaks
  ClientCore core;
  std::map<std::pair<std::string, View>, Follower> follows;
  std::uint64_t states = 0;  // sent to it by the server, including repetitions
  bool left = false;
  bool was_in = false;  // at least one window was shown to it

 private:
  static constexpr Time kIdle = 50 * kMillisecond;  // often enough for its timers

  Time frame_, next_frame_ = 0, idle_until_ = 0;
};

}  // namespace laurel::test
