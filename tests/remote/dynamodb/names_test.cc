// Names of players in a table, on the live channel of a server: a real engine, and real clients.
// Skipped with a message if DynamoDB Local cannot be fetched.
#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "live/client/client.h"
#include "live/server/publisher.h"
#include "local_engine.h"
#include "remote/remote_boards.h"
#include "remote/remote_players.h"

namespace laurel {

namespace {

std::string with_names(const WindowPtr& window) {
  std::string text;
  for (const WindowEntry& entry : window->entries) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", entry.player, entry.name.value_or("-"));
  }
  return text;
}

// A game server whose boards and players are in one table.
struct TableServer {
  explicit TableServer(const std::string& table) {
    Result<std::unique_ptr<RemoteBoards>> remotes =
        RemoteBoards::open({.urls = {{"main", table}}, .players = "main", .timeout = 20 * kSecond});
    if (!remotes) FAIL(remotes.refusal().text());
    registry = std::make_unique<Registry>(RegistryOptions{.remotes = std::move(*remotes)});
    boards = RemoteBoards::of(*registry);
    const Result<BoardHandle> handle =
        boards->open("world", spec({{"remote", "main"}, {"engine", "padded"}}));
    if (!handle) FAIL(handle.refusal().text());
    world = *handle;
  }

  // Returns false if it does not hold within a minute.
  template <typename Holds>
  bool until(Holds holds) {
    const Time end = steady_now() + 60 * kSecond;
    while (!holds()) {
      if (steady_now() > end) return false;
      registry->tick();
      if (client) client->tick();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  void save(const std::string& id, const std::string& name) {
    bool saved = false;
    boards->players()->ask(request::SavePlayer{.id = id, .name = name, .email = {}},
                           [&](const Result<Value>& value) { saved = static_cast<bool>(value); });
    REQUIRE(until([&] { return saved; }));
  }
  void submit(const std::string& player, double score) {
    bool written = false;
    boards->ask(world, 0, request::Write{.what = {.player = player, .score = score}},
                [&](const Result<Value>& value) { written = static_cast<bool>(value); });
    REQUIRE(until([&] { return written; }));
  }

  std::unique_ptr<Registry> registry;
  RemoteBoards* boards = nullptr;
  BoardHandle world;
  std::unique_ptr<Client> client;
};

}  // namespace

TEST_CASE(
    "names in a table are on the live channel, and a table that does not answer holds no top") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::string table = fresh_url(*endpoint);
  TableServer here(table), there(table);
  there.save("ada", "Ada");
  there.save("bob", "Bob");
  there.save("cleo", "Cleo");
  there.submit("ada", 10);

  Result<std::unique_ptr<Publisher>> started = Publisher::start({});
  REQUIRE_MESSAGE(started, started.refusal().text());
  Publisher& live = **started;
  (void)here.registry->attach(std::move(*started));
  REQUIRE(live.publish_remote(*here.registry, here.world, {}));
  const Result<BoardHandle> room = here.registry->open("room", spec({}));
  REQUIRE(room);
  REQUIRE(live.publish(*here.registry, *room, {}));
  auto client = Client::connect({"127.0.0.1", live.port(), "", false, {}});
  REQUIRE(client);
  here.client = std::move(*client);
  std::map<std::string, std::string> heard;
  for (const std::string board : {"world", "room"}) {
    REQUIRE(here.client->subscribe(board, 10, [&heard, board](const Result<WindowPtr>& top) {
      heard[board] = top ? with_names(*top) : std::string(top.refusal().text());
    }));
  }
  CHECK(here.until([&] { return heard["world"] == "ada=Ada"; }));
  there.submit("bob", 20);
  CHECK(here.until([&] { return heard["world"] == "bob=Bob ada=Ada"; }));
  here.save("ada", "Eva");
  CHECK(here.until([&] { return heard["world"] == "bob=Bob ada=Eva"; }));

  Board& local = *here.registry->get(*room);
  REQUIRE(local.submit(WriteMode::submit, {.player = "ada", .score = 1}));
  CHECK(here.until([&] { return heard["room"] == "ada=Eva"; }));
  if (signal_local_engine(SIGSTOP)) {
    REQUIRE(local.submit(WriteMode::submit, {.player = "cleo", .score = 2}));
    CHECK(here.until([&] { return heard["room"] == "cleo=- ada=Eva"; }));
    CHECK(heard["world"] == "bob=Bob ada=Eva");
    REQUIRE(signal_local_engine(SIGCONT));
    CHECK(here.until([&] { return heard["room"] == "cleo=Cleo ada=Eva"; }));
  }
}

}  // namespace laurel
