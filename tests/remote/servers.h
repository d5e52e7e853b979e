// servers.h - game servers with remote boards on one fake store. The test advances the time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "fake_remote.h"
#include "remote/limits.h"
#include "remote/remote_boards.h"
#include "remote/remote_players.h"

namespace laurel {

// One time for all servers: their wall clocks and the steady clock advance together.
struct SharedTime {
  std::shared_ptr<Time> wall = std::make_shared<Time>(Fixture::kStart);
  std::shared_ptr<Time> steady = std::make_shared<Time>(0);

  void pass(Time time) const {
    *wall += time;
    *steady += time;
  }
  SteadyClock steady_clock() const {
    return [steady = steady] { return *steady; };
  }
};

// "ok", or the text of the refusal.
inline std::string outcome(const Result<Value>& answer) {
  return answer ? "ok" : std::string(answer.refusal().text());
}

// A game server: a registry with a remote "main", which is the store.
class GameServer {
 public:
  struct Options {
    std::string path;
    std::unique_ptr<Rules> rules;
    std::uint64_t seed = 1;
    FakeWeather weather;
    bool players = false;  // players and sessions are in "main" too
    bool apart = false;    // players and sessions are in a second remote, "keeper"
    bool archive = false;  // a second remote, "archive", on the same store
    bool carried = false;  // "main" takes no copies; its seasons go to "archive"
  };

  GameServer(const SharedTime& time, const std::shared_ptr<FakeStore>& store)
      : GameServer(time, store, Options()) {}
  GameServer(const SharedTime& time, const std::shared_ptr<FakeStore>& store, Options options)
      : time_(time) {
    auto fake =
        std::make_unique<FakeRemote>(store, options.seed, time.steady_clock(), !options.carried);
    remote = fake.get();
    remote->weather = options.weather;
    std::map<std::string, std::unique_ptr<Remote>> remotes;
    remotes.emplace("main", std::move(fake));
    if (options.apart) {
      auto second = std::make_unique<FakeRemote>(store, options.seed + 2, time.steady_clock());
      keeper = second.get();
      remotes.emplace("keeper", std::move(second));
    }
    if (options.archive) {
      auto second = std::make_unique<FakeRemote>(store, options.seed + 1, time.steady_clock());
      archive = second.get();
      archive->weather = options.weather;
      remotes.emplace("archive", std::move(second));
    }
    Result<std::unique_ptr<Registry>> opened =
        Registry::open({.path = options.path,
                        .clock = std::make_unique<SharedClock>(time.wall),
                        .log = Log([this](Level level, std::string_view line) {
                          log.push_back(fmt::format("{}: {}", word(level), line));
                        }),
                        .rules = std::move(options.rules),
                        .remotes = std::make_unique<RemoteBoards>(
                            std::move(remotes), kRemoteTimeout, time.steady_clock(),
                            options.apart     ? "keeper"
                            : options.players ? "main"
                                              : ""),
                        .secret = HashSecret::fixed(1)});
    if (!opened) FAIL(opened.refusal().text());
    registry = std::move(*opened);
    boards = RemoteBoards::of(*registry);
  }

  BoardHandle open(std::string_view name, Fields fields = {}) {
    fields.push_back({"remote", "main"});
    const Result<BoardHandle> handle = boards->open(name, spec(fields));
    if (!handle) FAIL(handle.refusal().text());
    return *handle;
  }

  // Ticks in steps of `step` until the answer has come.
  Result<Value> ask(BoardHandle board, Request what, std::uint64_t season = 0, Time step = 1'000) {
    std::optional<Result<Value>> answer;
    const auto done = [&](Result<Value> value) { answer.emplace(std::move(value)); };
    if (is_of_players(what)) {
      boards->players()->ask(std::move(what), done);
    } else {
      boards->ask(board, season, std::move(what), done);
    }
    for (int ticks = 0; !answer && ticks < 100'000; ++ticks) {
      registry->tick();
      if (!answer) time_.pass(step);
    }
    if (!answer) FAIL("no answer came");
    return std::move(*answer);
  }
  template <typename T>
  T get(BoardHandle board, Request what, std::uint64_t season = 0) {
    Result<Value> value = ask(board, std::move(what), season);
    if (!value) FAIL(value.refusal().text());
    return std::move(std::get<T>(*value));
  }
  Result<Value> submit(BoardHandle board, std::string player, double score) {
    return ask(board, request::Write{.what = {.player = std::move(player), .score = score}});
  }
  // "1 bob 9850, 2 alice 8420"
  std::string table(BoardHandle board) {
    return laurel::table(get<Listed>(board, request::Page{0, SIZE_MAX}).entries);
  }
  void tick(int times = 1, Time step = 1'000) {
    for (; times > 0; --times) {
      registry->tick();
      time_.pass(step);
    }
  }

  std::vector<std::string> log;
  FakeRemote* remote = nullptr;
  FakeRemote* archive = nullptr;  // null unless Options::archive
  FakeRemote* keeper = nullptr;   // null unless Options::apart
  std::unique_ptr<Registry> registry;
  RemoteBoards* boards = nullptr;

 private:
  SharedTime time_;
};

}  // namespace laurel
