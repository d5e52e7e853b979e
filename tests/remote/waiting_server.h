// waiting_server.h - a game server in real time, for remotes with connections of their own. It
// ticks until what a test waits for has come. servers.h has servers in simulated time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "remote/remote_boards.h"

namespace laurel {

struct WaitingServer {
  static constexpr Time kWait = 60 * kSecond;

  // The log of the options is replaced. REQUIRES: options.remotes.
  explicit WaitingServer(RegistryOptions options) {
    options.log = Log([this](Level level, std::string_view line) {
      if (level == Level::error) errors.emplace_back(line);
    });
    Result<std::unique_ptr<Registry>> opened = Registry::open(std::move(options));
    if (!opened) FAIL(opened.refusal().text());
    registry = std::move(*opened);
    boards = RemoteBoards::of(*registry);
  }
  WaitingServer(const WaitingServer&) = delete;
  WaitingServer& operator=(const WaitingServer&) = delete;

  template <typename Until>
  void tick_until(Until until) {
    for (const Time give_up = steady_now() + kWait; !until();) {
      REQUIRE(steady_now() < give_up);
      registry->tick();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  Result<Value> wait(const std::function<void(RemoteBoards::Completion)>& begin) {
    std::optional<Result<Value>> answer;
    begin([&](Result<Value> value) { answer.emplace(std::move(value)); });
    tick_until([&] { return answer.has_value(); });
    return std::move(*answer);
  }
  // `season` 0: the current one.
  Result<Value> ask(BoardHandle board, const Request& what, std::uint64_t season = 0) {
    return wait(
        [&](RemoteBoards::Completion done) { boards->ask(board, season, what, std::move(done)); });
  }
  template <typename T>
  T get(BoardHandle board, const Request& what, std::uint64_t season = 0) {
    Result<Value> value = ask(board, what, season);
    if (!value) FAIL(value.refusal().text());
    return std::move(std::get<T>(*value));
  }
  // Whether the archive has a copy of the season of that board, and with which rules.
  KeptSpec find_copy(const std::string& board, Time created, std::uint64_t season) {
    Result<Value> found = wait([&](RemoteBoards::Completion done) {
      boards->ask_copy(board, created, season, std::move(done));
    });
    if (!found) FAIL(found.refusal().text());
    return std::get<KeptSpec>(*found);
  }

  std::vector<std::string> errors;  // what was logged as such
  std::unique_ptr<Registry> registry;
  RemoteBoards* boards = nullptr;
};

}  // namespace laurel
