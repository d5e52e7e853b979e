// attack_fixture.h - a server with its usual options, honest clients, and the effect of an attack
// on them.
//
// If the server requires tokens, each honest client has one.
//
// The calling thread is the game and all honest clients: it posts a window at each tick and ticks
// the clients once a millisecond. The server has its own thread. The attack has another one with a
// lower priority, so that it yields if there are too few processors: the server is what is tested.
//
//   latency   from the post until a client's callback with that version.
//   wrong     states that the board never had: entry by entry they differ from what was posted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "live/client/client.h"
#include "live/server/server.h"

namespace laurel::test {

inline constexpr const char* kBoard = "season_3";  // the one that clients subscribe to

// Runs until `over` is set.
using Attack = std::function<void(std::uint16_t port, const std::atomic<bool>& over)>;

struct Figures {
  std::size_t states = 0;  // delivered to honest clients
  std::size_t wrong = 0;
  double median = 0, p99 = 0;      // milliseconds
  std::size_t bytes_most = 0;      // allocated in the whole process
  std::uint64_t clients_most = 0;  // counted by the server, including honest ones
};

class Scene {
 public:
  explicit Scene(const ServerOptions& options);

  // Plays for this long, under the attack if there is one.
  Figures play(std::chrono::milliseconds time, const Attack& attack = nullptr);
  // Plays until the condition holds. False if it does not within this time.
  bool until(std::chrono::milliseconds time, const std::function<bool()>& holds);
  // The time from the start of a new client to the newest state, in milliseconds; 1e9 if it is more
  // than the limit.
  double newcomer(double milliseconds_most);

  // A token of another player, good for this many connections.
  Token token(std::uint32_t uses, bool sealed = false);

  Server& server() { return *server_; }
  std::uint64_t honest() const { return honest_.size(); }
  bool all_connected() const;

 private:
  struct Honest {
    std::unique_ptr<Client> client;
    std::uint64_t version = 0;
    std::size_t top = 0;
  };

  void add_honest(std::size_t top);
  void hear(Honest& honest, const WindowPtr& window);
  void step();
  WindowPtr next_window();

  bool tokens_;  // its clients need them
  KeyPair key_ = draw_key_pair();
  std::mt19937_64 random_{3};  // words and secrets
  ServerPtr server_;
  std::vector<std::unique_ptr<Honest>> honest_;
  std::uint64_t version_ = 0;
  std::chrono::steady_clock::time_point next_post_;
  struct Posted {
    WindowPtr window;
    std::chrono::steady_clock::time_point at;
  };
  std::map<std::uint64_t, Posted> posted_;  // of the last few seconds
  Figures figures_;
  std::vector<double> latencies_;
};

// The bytes that the process has allocated.
std::size_t allocated();

}  // namespace laurel::test
