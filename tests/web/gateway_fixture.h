// gateway_fixture.h - a gateway of a game server, which a thread of its own runs.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "web/game.h"
#include "web/gateway.h"
#include "web/visitor.h"

namespace laurel::test {

inline web::GatewayOptions options_for(std::uint16_t game_port) {
  web::GatewayOptions options;
  options.feed.channel.host = "127.0.0.1";
  options.feed.channel.port = game_port;
  options.listen = {"127.0.0.1", 0};
  options.viewers = 500;
  options.site.viewers_per_address = 50;
  return options;
}

class Served {
 public:
  explicit Served(web::GatewayOptions options) {
    auto opened = web::Gateway::open(std::move(options), Log([this](Level, std::string_view line) {
                                       const std::lock_guard lock(mutex_);
                                       lines_ += std::string(line) + "\n";
                                     }));
    REQUIRE_MESSAGE(opened, opened.refusal().text());
    gateway_ = std::move(*opened);
    thread_ = std::thread([this] { gateway_->run(); });
  }
  explicit Served(const Game& game) : Served(options_for(game.port())) {}
  ~Served() { end(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  std::uint16_t port() const { return gateway_->place().port; }
  const web::Gateway& gateway() const { return *gateway_; }
  void end() {
    gateway_->end();
    if (thread_.joinable()) thread_.join();
  }
  std::string lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // Waits until the gateway has a state of the board, with that many players.
  void wait_for(const std::string& board, int players) const {
    REQUIRE(holds_soon([&] {
      const Response response = get(port(), "/v1/boards?board=" + board);
      return response.status == 200 && response.json()["size"] == players;
    }));
  }

 private:
  std::mutex mutex_;
  std::string lines_;
  std::unique_ptr<web::Gateway> gateway_;
  std::thread thread_;
};

}  // namespace laurel::test
