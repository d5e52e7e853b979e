// simulation_client.h - a client as a game has one: it is served once a frame. With all that it was
// ever shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "live/client_core.h"
#include "live/lossy_network.h"

namespace laurel::test {

inline constexpr Time kMillisecond = 1000;

// Who a client is and what it can show.
struct Identity {
  std::string player;  // whose token it has; empty: nobody's
  Credentials credentials = no_token();
  bool good = false;   // a server that asks for tokens has to let it in
  bool token = false;  // it shows one at all, be it good, late or wrong
};

// A view of one board, and everything that was shown of it.
struct Follower {
  std::size_t n = 0;
  WindowPtr last;               // null while refused
  std::size_t incarnation = 0;  // of the newest window ever shown
  std::string refused;          // what it was told last, where that was no window
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
        core(*end, std::move(identity.credentials), seed),
        frame_(frame) {}

  // Nobody ticks it for so long.
  void stop_until(Time until) { next_frame_ = std::max(next_frame_, until); }

  // When it has to be ticked: at the first frame after something came, and now and then.
  Time due_at() const { return std::max(next_frame_, std::min(end->next_at(), idle_until_)); }
  void tick(Time now) {
    next_frame_ = now + frame_;
    idle_until_ = now + kIdle;
    core.tick(now);
  }

  // Windows that it was shown of all that it follows now.
  std::uint64_t windows() const {
    std::uint64_t sum = 0;
    for (const auto& [view, follower] : follows)
      sum += static_cast<std::uint64_t>(follower.windows);
    return sum;
  }

  const std::string player;
  const bool good, token;
  std::unique_ptr<LossyNetwork::End> end;
  ClientCore core;
  std::map<std::pair<std::string, View>, Follower> follows;
  std::uint64_t states = 0;  // that the server sent it, again or for the first time
  bool left = false;
  bool was_in = false;  // something was shown to it

 private:
  static constexpr Time kIdle = 50 * kMillisecond;  // its timers need no more

  Time frame_, next_frame_ = 0, idle_until_ = 0;
};

}  // namespace laurel::test
