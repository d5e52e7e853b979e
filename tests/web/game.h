// game.h - a game server: a registry with a live channel, which a thread of its own ticks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "board/spec/spec_change.h"
#include "live/server/publisher.h"
#include "registry/registry.h"

namespace laurel::test {

class Game {
 public:
  using Fields = std::vector<std::pair<std::string, FieldValue>>;

  explicit Game(const ServerOptions& options = {});
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  std::uint16_t port() const { return port_; }

  // Opens a board and publishes it.
  BoardHandle publish(const std::string& name, const Fields& fields = {},
                      const PublishOptions& options = {});
  void submit(BoardHandle board, std::string_view player, double score,
              std::optional<std::string_view> data = {});
  // Does anything between two ticks.
  void act(const std::function<void(Registry&, Publisher&)>& action);
  std::string gateway_token();
  std::string token(std::string_view player, unsigned uses = 1);

 private:
  std::mutex mutex_;
  std::unique_ptr<Registry> registry_;
  Publisher* publisher_ = nullptr;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace laurel::test
