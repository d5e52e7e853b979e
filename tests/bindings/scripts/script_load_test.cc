// A thousand reloads while events come in, half of them broken.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "bindings/scripts/script_server.h"

using namespace laurel;
using namespace std::string_view_literals;
using laurel::test::Server;

namespace {

// A version that emits its number at every event, timer and watch.
std::string good(int number) {
  return fmt::format(R"(
    local board = boards:board('load', {{}})
    laurel.state.loads = (laurel.state.loads or 0) + 1
    laurel.state.first = laurel.state.first or laurel.state
    laurel.on('hit', function(n)
      laurel.emit('hit', {0}, n, laurel.state == laurel.state.first)
      board:submit('p' .. n % 7, n)
    end)
    laurel.on('nest', function() laurel.emit('ask') laurel.emit('nested', {0}) end)
    for i = 1, 5 do laurel.every(0.05, function() laurel.emit('t', {0}) end) end
    for i = 1, 3 do board:watch(3, function() laurel.emit('w', {0}) end) end
    -- version {0}
  )",
                     number);
}

// Versions that do not load. Handlers that they registered before emit "bad".
std::string broken(std::mt19937_64& random, int number) {
  const std::string half = fmt::format(R"(
    laurel.on('hit', function() laurel.emit('bad') end)
    laurel.every(0.05, function() laurel.emit('bad') end)
    boards:board('load'):watch(3, function() laurel.emit('bad') end)
    local function deep(n) if n == 0 then error('version {}') end deep(n - 1) end
  )",
                                       number);
  switch (random() % 5) {
    case 0: return fmt::format("laurel.on('hit', function( {}", number);
    case 1: return half + "deep(0)";
    case 2: return half + "deep(50)";
    case 3: return half + "coroutine.wrap(function() deep(3) end)()";
    default: return half + "laurel.emit('ask') deep(1)";  // with an event during the load
  }
}

}  // namespace

TEST_CASE(
    "in a thousand reloads, half of them broken, every event is handled once by the right "
    "version") {
  for (const std::uint64_t instructions : {std::uint64_t{0}, std::uint64_t{1'000'000}}) {
    const std::uint64_t seed = std::random_device()();
    CAPTURE(seed);
    CAPTURE(instructions);
    std::mt19937_64 random(seed);
    int in_force = 1;
    Server server(good(in_force).c_str(), instructions);
    int asked = 0;
    server.also = [&](std::string_view event, std::span<const EventValue>) {
      if (event != "ask") return;
      ++asked;
      server.emit("hit", {double(1'000'000 + asked)});
    };
    server.tick();
    server.heard();

    std::uint64_t loaded = 1;
    std::uint64_t failed = 0;
    int hits = 0;
    for (int version = 2; version <= 1001; ++version) {
      CAPTURE(version);
      const bool breaks = random() % 2 == 0;
      server.folder.write("game.lua", breaks ? broken(random, version) : good(version));

      // Between the edit and the tick the old version answers.
      const int before = static_cast<int>(random() % 3);
      std::string expected;
      for (int i = 0; i < before; ++i) {
        ++hits;
        CHECK(server.emit("hit", {double(hits)}) == 1);
        expected += fmt::format("hit {} {} true;", in_force, hits);
      }
      REQUIRE(server.heard() == expected);

      const int asked_before = asked;
      server.tick(0.05);
      const std::string during = server.heard();
      REQUIRE(during.find("bad") == std::string::npos);
      expected.clear();
      // If a version asks while it loads, the version in force answers.
      if (asked > asked_before) {
        expected = fmt::format("ask;hit {} {} true;", in_force, 1'000'000 + asked);
      }
      breaks ? ++failed : ++loaded;
      if (!breaks) in_force = version;
      // The timers of a new version start with it.
      if (breaks) {
        for (int i = 0; i < 5; ++i) expected += fmt::format("t {};", in_force);
      }
      REQUIRE(during.starts_with(expected));
      for (std::string_view rest = std::string_view(during).substr(expected.size()); !rest.empty();
           rest.remove_prefix(rest.find(';') + 1)) {
        REQUIRE(rest.substr(0, rest.find(';')) == fmt::format("w {}", in_force));
      }

      CHECK(server.emit("nest") == 1);
      REQUIRE(server.heard() ==
              fmt::format("ask;hit {0} {1} true;nested {0};", in_force, 1'000'000 + asked));

      const ScriptStats stats = server.host->stats();
      REQUIRE(stats.loaded == loaded);
      REQUIRE(stats.load_failed == failed);
      REQUIRE(stats.scripts == 1);
      REQUIRE(stats.handlers == 2);
      REQUIRE(stats.timers == 5);
      REQUIRE(stats.failed == 0);
      REQUIRE(server.registry->stats().watches == 3);
    }
    CHECK(failed > 300);
    CHECK(loaded > 300);
    const auto board = server.registry->get(*server.registry->find("load"));
    CHECK(board->size() == 7);
    server.edit("laurel.emit('loads', laurel.state.loads, laurel.state == laurel.state.first)");
    CHECK(server.heard() == fmt::format("loads {} true;", loaded));
  }
}

TEST_CASE("old versions leave no memory behind") {
  const std::string text = R"(
    local board = boards:board('b', {})
    laurel.state.kilobytes = nil
    local weight = ('x'):rep(20000) .. tostring({})
    for i = 1, 100 do
      laurel.on('e', function() return weight end)
      laurel.every(1, function() return weight end)
    end
    for i = 1, 10 do board:watch(10, function() return weight end) end
    board:watch(10, function() return weight end)()
    laurel.on('count', function()
      collectgarbage() collectgarbage()
      laurel.emit('kilobytes', collectgarbage('count'))
    end) )";
  Server server((text + "-- 0").c_str());
  const auto kilobytes = [&server] {
    double read = 0;
    server.also = [&read](std::string_view, std::span<const EventValue> values) {
      read = *std::get_if<double>(&values[0]);
    };
    server.emit("count");
    return read;
  };
  for (int i = 1; i <= 100; ++i) server.edit(text + "-- " + std::to_string(i));
  const double early = kilobytes();
  for (int i = 101; i <= 600; ++i) {
    server.edit(text + (i % 2 == 0 ? "-- " : "error('no') -- ") + std::to_string(i));
  }
  const double late = kilobytes();
  CHECK(late < early + 100);  // one version takes about 100 KB
  CHECK(server.host->stats().handlers == 101);
  CHECK(server.host->stats().timers == 100);
  CHECK(server.registry->stats().watches == 10);
}

TEST_CASE("scripts that come and go under load do not affect the others") {
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Server server;
  server.start();
  std::map<std::string, int> there;  // by name: the version
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const std::string name(1, static_cast<char>('a' + random() % 8));
    if (there.contains(name) && random() % 2 == 0) {
      server.folder.remove(name + ".lua");
      there.erase(name);
    } else {
      there[name] = round;
      server.folder.write(name + ".lua",
                          fmt::format("laurel.on('who', function() laurel.emit('{}', {}) end) "
                                      "boards:board('b', {{}}):watch(1, function() end)",
                                      name, round));
    }
    server.tick();
    server.heard();
    std::string expected;
    for (const auto& [script, version] : there) expected += fmt::format("{} {};", script, version);
    CHECK(server.emit("who") == there.size());
    REQUIRE(server.heard() == expected);
    REQUIRE(server.registry->stats().watches == there.size());
    REQUIRE(server.host->stats().scripts == there.size());
  }
}
