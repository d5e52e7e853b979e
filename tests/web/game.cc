#include "web/game.h"

#include <poll.h>

#include <doctest/doctest.h>

#include "live/auth/token.h"

namespace laurel::test {

Game::Game(const ServerOptions& options) {
  RegistryOptions opened;
  opened.log = Log([](Level, std::string_view) {});
  registry_ = std::make_unique<Registry>(std::move(opened));
  auto started = Publisher::start(options);
  REQUIRE_MESSAGE(started, started.refusal().text());
  publisher_ = started->get();
  port_ = publisher_->port();
  registry_->attach(std::move(*started));
  thread_ = std::thread([this] {
    while (!ending_) {
      act([](Registry& registry, Publisher&) { registry.tick(); });
      ::poll(nullptr, 0, 5);  // the pace of a game loop
    }
  });
}

Game::~Game() {
  ending_ = true;
  thread_.join();
}

void Game::act(const std::function<void(Registry&, Publisher&)>& action) {
  const std::lock_guard lock(mutex_);
  action(*registry_, *publisher_);
}

BoardHandle Game::publish(const std::string& name, const Fields& fields,
                          const PublishOptions& options) {
  BoardHandle board;
  act([&](Registry& registry, Publisher& publisher) {
    SpecChange change;
    for (const auto& [field, value] : fields) REQUIRE(change.set(field, value));
    const auto opened = registry.open(name, change);
    REQUIRE_MESSAGE(opened, opened.refusal().c_str());
    board = *opened;
    REQUIRE(publisher.publish(registry, board, options));
  });
  return board;
}

void Game::submit(BoardHandle board, std::string_view player, double score,
                  std::optional<std::string_view> data) {
  act([&](Registry& registry, Publisher&) {
    const Submission submission{.player = player, .score = score, .data = data};
    REQUIRE(registry.get(board)->submit(WriteMode::submit, submission));
  });
}

std::string Game::gateway_token() {
  std::string text;
  act([&](Registry& registry, Publisher& publisher) {
    const auto token = publisher.gateway_token(registry, std::nullopt);
    REQUIRE(token);
    text = to_text(*token);
  });
  return text;
}

std::string Game::token(std::string_view player, unsigned uses) {
  std::string text;
  act([&](Registry& registry, Publisher& publisher) {
    const auto token = publisher.token(registry, player, 600, uses);
    REQUIRE(token);
    text = to_text(*token);
  });
  return text;
}

}  // namespace laurel::test
