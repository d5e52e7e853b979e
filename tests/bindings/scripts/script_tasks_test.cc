// Handlers and timers of hosted scripts as tasks that wait for remote boards.
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "bindings/scripts/script_server.h"
#include "remote/limits.h"
#include "remote/servers.h"

namespace laurel {

namespace {

// A server whose boards have a remote "main" without a network.
struct RemoteServer : test::Server {
  SharedTime time;
  FakeRemote* remote = nullptr;

  explicit RemoteServer(const char* text, std::uint64_t instructions_in = 0) {
    instructions = instructions_in;
    auto fake = std::make_unique<FakeRemote>(std::make_shared<FakeStore>(), 1, time.steady_clock());
    remote = fake.get();
    std::map<std::string, std::unique_ptr<Remote>> remotes;
    remotes.emplace("main", std::move(fake));
    RegistryOptions options;
    options.log = journal.log();
    options.remotes =
        std::make_unique<RemoteBoards>(std::move(remotes), kRemoteTimeout, time.steady_clock());
    registry = std::make_unique<Registry>(std::move(options));
    folder.write("game.lua", text);
    start();
    ticks(3);
  }
  void ticks(int times, double seconds = 0.01) {
    for (; times > 0; --times) {
      tick(seconds);
      time.pass(1'000);
    }
  }
  void emit(std::string_view event) { host->emit(event, {}); }
};

constexpr const char* kWorld = "local world = boards:board('world', { remote = 'main' }) ";

std::string script(const std::string& rest) { return kWorld + rest; }

}  // namespace

TEST_CASE(
    "while a handler waits for a remote board the next one runs, and the first resumes later") {
  RemoteServer server(script(R"(
    laurel.on("goal", function()
      laurel.emit("one")
      laurel.emit("held", (world:submit("anna", 5)))
    end)
    laurel.on("goal", function() laurel.emit("two") end))")
                          .c_str());
  server.emit("goal");
  CHECK(server.said == "one;two;");
  server.ticks(5);
  CHECK(server.said == "one;two;held 5;");
}

TEST_CASE("an error of a handler after a wait is logged with its traceback, and counted") {
  RemoteServer server(script(R"(
laurel.on("goal", function()
  world:size()
  local nothing
  nothing.x = 1
end))")
                          .c_str());
  server.emit("goal");
  CHECK(server.host->stats().failed == 0);
  server.ticks(5);
  CHECK(server.host->stats().failed == 1);
  CHECK(server.journal.count("(handler of \"goal\")") == 1);
  CHECK(server.journal.count("error:     scripts/game.lua:5: in function") == 1);
}

TEST_CASE("an error in a task of a script is logged and counted like one in a handler") {
  RemoteServer server(
      script("laurel.on('goal', function() laurel.task(error, 'boom', 0) end)").c_str());
  server.emit("goal");
  CHECK(server.journal.count("boom (task)") == 1);
  CHECK(server.host->stats().failed == 1);
}

TEST_CASE("a timer that waits is not called again before it has ended") {
  RemoteServer server(script(R"(
    laurel.every(0.01, function()
      laurel.emit("begun")
      world:size()
      laurel.emit("ended")
    end))")
                          .c_str());
  server.said.clear();
  server.remote->stall(true);
  server.ticks(20);
  const std::string meanwhile = server.said;
  CHECK(meanwhile.find("begun", meanwhile.find("begun") + 1) == std::string::npos);
  server.remote->stall(false);
  server.ticks(20);
  CHECK(server.said.find("ended;begun") != std::string::npos);
}

TEST_CASE("a reload drops the tasks of the previous version only") {
  RemoteServer server(
      script("laurel.on('goal', function() world:size() laurel.emit('old') end)").c_str());
  server.folder.write(
      "other.lua", script("laurel.on('goal', function() world:size() laurel.emit('other') end)"));
  server.ticks(2);
  server.remote->stall(true);
  server.emit("goal");
  server.edit(script("laurel.on('goal', function() world:size() laurel.emit('new') end)"));
  server.ticks(2);
  server.remote->stall(false);
  server.ticks(5);
  CHECK(server.said == "other;");
  server.emit("goal");
  server.ticks(5);
  CHECK(server.said == "other;new;other;");
}

TEST_CASE("the end of the host drops waiting tasks") {
  RemoteServer server(
      script("laurel.on('goal', function() world:size() laurel.emit('late') end)").c_str());
  server.remote->stall(true);
  server.emit("goal");
  server.host.reset();
  server.remote->stall(false);
  server.registry->tick();
  server.registry->tick();
  CHECK(server.said.empty());
}

TEST_CASE("a resumed task has a budget of its own") {
  RemoteServer server(script(R"(
    local function work() local n = 0 for i = 1, 20000 do n = n + i end end
    laurel.on("within", function()
      for _ = 1, 10 do work() world:size() end
      laurel.emit("done")
    end)
    laurel.on("beyond", function()
      world:size()
      while true do end
    end))")
                          .c_str(),
                      100'000);
  server.emit("within");
  server.ticks(40);
  CHECK(server.said == "done;");
  CHECK(server.host->stats().interrupted == 0);
  server.emit("beyond");
  server.ticks(5);
  CHECK(server.host->stats().interrupted == 1);
  CHECK(server.journal.count("interrupted after") == 1);
}

TEST_CASE("a script that waits while loading gets an error that names laurel.task") {
  RemoteServer server(script("world:size()").c_str());
  CHECK(server.journal.count("waits for an answer: call it inside laurel.task") == 1);
}

}  // namespace laurel
