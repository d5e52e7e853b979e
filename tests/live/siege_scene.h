// siege_scene.h - a server as it is in earnest, honest clients, and what they notice of an attack.
//
// Where the server asks for tokens, each honest client has one.
//
// The thread that asks is the game and all honest clients: it posts a window at each tick and ticks
// the clients once a millisecond. The server has its thread, the attack another, which gives way to
// them where there are too few processors (its priority is lower): it is the server that is tested.
//
//   latency   from the post until a client was called back with that version.
//   wrong     states that the board never had: compared entry by entry with what was posted.
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

#include "live/client.h"
#include "live/server.h"

namespace laurel::test {

// Runs until it is over.
using Attack = std::function<void(std::uint16_t port, const std::atomic<bool>& over)>;

struct Figures {
  std::size_t states = 0;  // that honest clients were called back with
  std::size_t wrong = 0;
  double median = 0, p99 = 0;      // milliseconds
  std::size_t bytes_most = 0;      // allocated in the whole process
  std::uint64_t clients_most = 0;  // that the server counted, honest ones included
};

class Scene {
 public:
  explicit Scene(const ServerOptions& options);

  // Plays for that long, under attack if there is one.
  Figures play(std::chrono::milliseconds time, const Attack& attack = nullptr);
  // Plays until the condition holds; false when it did not in time.
  bool until(std::chrono::milliseconds time, const std::function<bool()>& holds);
  // How long a new client takes from the beginning to the newest state, in milliseconds; 1e9: more
  // than so many.
  double newcomer(double milliseconds_most);

  // Another's, good for so many connections.
  Token token(std::uint32_t uses);

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

  bool tokens_;
  std::mt19937_64 random_{3};  // words and secrets
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Honest>> honest_;
  std::uint64_t version_ = 0;
  std::chrono::steady_clock::time_point next_post_;
  struct Posted {
    WindowPtr window;
    std::chrono::steady_clock::time_point at;
  };
  std::map<std::uint64_t, Posted> posted_;  // the last few seconds'
  Figures figures_;
  std::vector<double> latencies_;
};

// Bytes that the process has allocated.
std::size_t allocated();

}  // namespace laurel::test
