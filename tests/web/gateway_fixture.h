// gateway_fixture.h - a gateway of a game server, which a thread of its own runs; and the usual
// one: of a server with one published board, and ready to be visited.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "folder.h"
#include "live/proxy.h"
#include "web/game.h"
#include "web/gateway.h"
#include "web/visitor.h"

namespace laurel::test {

web::GatewayOptions options_for(std::uint16_t game_port);

class Served {
 public:
  explicit Served(web::GatewayOptions options);
  explicit Served(const Game& game) : Served(options_for(game.port())) {}
  ~Served() { end(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  std::uint16_t port() const { return gateway_->place().port; }
  const web::Gateway& gateway() const { return *gateway_; }
  void end();
  std::string lines();  // of its log

  Response get(std::string_view target, std::string_view fields = {},
               std::string_view method = "GET") const {
    return test::get(port(), target, fields, method);
  }
  // An open stream, and an open WebSocket: the head is read. Both require that it is let in.
  Visitor stream(std::string_view target, std::string_view fields = {}) const;
  Visitor websocket(std::string_view target) const;
  // What /metrics has: a name, or a name{reason="word"}.
  double metric(const std::string& name) const;
  bool is_healthy() const { return get("/healthz").status == 200; }
  // Waits until the gateway has a state of the board, with that many players.
  void wait_for(const std::string& board, std::size_t size) const;

 private:
  std::mutex mutex_;
  std::string lines_;
  std::unique_ptr<web::Gateway> gateway_;
  std::thread thread_;
};

using Scores = std::vector<std::pair<std::string, double>>;
// "p0" with the score `first`, and each next player with one less.
Scores players(int count, double first = 100);

// A server with a board. One that wants tokens has given a gateway's token to a file.
struct GameWithBoard {
  struct Setup {
    Scores scores = {{"ada", 1}};
    std::string data = {};  // of each entry; empty: entries are published without
    bool wants_tokens = false;
    std::function<void(web::GatewayOptions&)> gateway = {};  // changes its options
  };
  explicit GameWithBoard(const Setup& setup);

  void submit(std::string_view player, double score);
  web::GatewayOptions options(const Setup& setup) const;

  Folder folder{"web"};
  Game game;
  BoardHandle board;
  std::string data;
};

// That, the board "kills", and a gateway which has it.
class ServedBoard : public GameWithBoard, public Served {
 public:
  explicit ServedBoard(const Setup& setup = {});
};

// The same, with a network between the game and the gateway that the test disturbs.
struct ProxiedBoard : GameWithBoard {
  explicit ProxiedBoard(const Setup& setup);

  Proxy proxy;
  Served served;
};

// The fields of a request for a WebSocket.
inline constexpr std::string_view kUpgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

// The first event whose leader has the score.
Event event_with(Visitor& visitor, double score);
// The players in a list of entries, each with a space after it.
std::string players_in(const Json& entries);

}  // namespace laurel::test
