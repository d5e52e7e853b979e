// Gameplay scripts that change, come and go while the server runs.
#include <filesystem>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "bindings/scripts/script_server.h"

using namespace laurel;
using namespace std::string_view_literals;
using laurel::test::Server;

TEST_CASE("a changed script is loaded again, and its handlers and timers are replaced together") {
  Server server(R"(laurel.on('e', function() laurel.emit('old') end)
                   laurel.every(1, function() laurel.emit('old timer') end))");
  server.edit(R"(laurel.on('e', function() laurel.emit('new') end)
                 laurel.every(1, function() laurel.emit('new timer') end))");
  CHECK(server.emit("e") == 1);
  server.tick(1);
  CHECK(server.heard() == "new;new timer;");
  server.tick(0);
  CHECK(server.host->stats().loaded == 2);
  CHECK(server.host->stats().scripts == 1);
}

TEST_CASE("laurel.state survives a reload, even if the script assigns another table to it") {
  Server server("laurel.state.n = 1");
  const char* const count = "laurel.state.n = laurel.state.n + 1 laurel.emit('n', laurel.state.n)";
  server.edit(count);
  CHECK(server.heard() == "n 2;");
  server.edit("laurel.state = { n = 10 }");
  server.edit(count);
  CHECK(server.heard() == "n 11;");
  server.edit("error('no')");
  server.edit(std::string(count) + " -- again");
  CHECK(server.heard() == "n 12;");
  server.edit("laurel.state = nil");
  server.edit("laurel.emit('type', type(laurel.state), tostring(laurel.state.n))");
  CHECK(server.heard() == "type table nil;");
}

TEST_CASE("a version that fails to load leaves the old one running, and nothing of its own") {
  const char* const broken[] = {
      "laurel.on('e', function( end",
      "laurel.on('e', function() laurel.emit('bad') end)\n"
      "laurel.every(1, function() laurel.emit('bad timer') end)\n"
      "boards:board('kills'):watch(3, function() laurel.emit('bad watch') end)\n"
      "error('not now')",
      "\x1bLJ\x02",
  };
  const char* const places[] = {"error: scripts/game.lua:1: ", "error: scripts/game.lua:4: not now",
                                "scripts/game.lua: it is bytecode; a script is text"};
  for (std::size_t i = 0; i < std::size(broken); ++i) {
    CAPTURE(i);
    Server server(R"(
      local kills = boards:board('kills', {})
      laurel.on('e', function() laurel.emit('good') end)
      laurel.every(1, function() laurel.emit('good timer') end)
      kills:watch(3, function() laurel.emit('good watch') end)
      laurel.on('kill', function(who, n) kills:submit(who, n) end))");
    server.tick();
    REQUIRE(server.registry->stats().watches == 1);
    server.edit(broken[i]);
    CAPTURE(server.journal.all());
    CHECK(server.journal.count(places[i]) == 1);
    CHECK(server.journal.count("the version before runs on") == 1);
    CHECK(server.registry->stats().watches == 1);
    server.heard();
    CHECK(server.emit("e") == 1);
    server.emit("kill", {"alice"sv, 3.0});
    server.tick(1);
    CHECK(server.heard() == "good;good timer;good watch;");
    server.tick();
    CHECK(server.journal.count("the version before runs on") == 1);  // logged once
    CHECK(server.host->stats().load_failed == 1);
  }
}

TEST_CASE("a watch ends with its version and with its script") {
  const std::string script =
      "local b = boards:board('kills', {}) b:watch(3, function(c) laurel.emit('top', "
      "c.top[1].player) end) ";
  Server server(script.c_str());
  CHECK(server.registry->stats().watches == 1);
  server.edit(script + "laurel.on('kill', function(p) b:submit(p, 1) end)");
  CHECK(server.registry->stats().watches == 1);
  server.emit("kill", {"bob"sv});
  server.tick();
  CHECK(server.heard() == "top bob;");
  server.folder.remove("game.lua");
  server.tick();
  CHECK(server.registry->stats().watches == 0);
  server.host.reset();
  CHECK(server.registry->stats().watches == 0);
}

TEST_CASE("the end of the host ends every watch") {
  Server server("boards:board('kills', {}):watch(3, function() end)");
  CHECK(server.registry->stats().watches == 1);
  server.host.reset();
  CHECK(server.registry->stats().watches == 0);
  server.registry->tick();
}

TEST_CASE(
    "new scripts are found, removed ones end, and subdirectories and hidden files are ignored") {
  Server server;
  std::filesystem::create_directory(server.folder / "rules");
  std::filesystem::create_directory(server.folder / "odd.lua");
  server.folder.write("rules/r.lua", "laurel.emit('wrong')");
  server.folder.write(".hidden.lua", "laurel.emit('wrong')");
  server.folder.write("notes.txt", "laurel.emit('wrong')");
  server.start();
  CHECK(server.heard().empty());
  server.edit("laurel.emit('a') laurel.on('e', function() laurel.emit('from a') end)", "a.lua");
  CHECK(server.heard() == "a;");
  server.edit("laurel.on('e', function() laurel.emit('from b') end)", "b.lua");
  CHECK(server.emit("e") == 2);
  server.folder.remove("a.lua");
  server.tick();
  server.heard();
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "from b;");
  CHECK(server.journal.count("scripts/a.lua: ended, since its file is gone") == 1);
  server.edit("laurel.emit('a again')", "a.lua");
  CHECK(server.heard() == "a again;");
}

TEST_CASE("functions that outlive their version raise an error and register nothing") {
  Server server("_G.old_on, _G.old_emit, _G.old_every = laurel.on, laurel.emit, laurel.every");
  server.edit(R"(
    for _, f in ipairs{ function() old_on('e', print) end, function() old_emit('e') end,
                        function() old_every(1, print) end } do
      print((select(2, pcall(f))))
    end)");
  CHECK(server.heard() == "e;");  // while the new one loads, the old one is in force
  server.edit("-- empty");
  server.edit(
      R"(print((select(2, pcall(old_on, 'e', print)))) print((select(2, pcall(old_emit, 'e')))))");
  CHECK(server.heard().empty());
  CHECK(server.journal.count("laurel.on: the script that this function belongs to was replaced") ==
        1);
  CHECK(server.journal.count("laurel.emit: the script that this function belongs to was") == 1);
  CHECK(server.emit("e") == 0);
}

TEST_CASE("a missing directory is refused; one that goes away later ends nothing") {
  Server server;
  ScriptHostOptions options;
  options.directory = server.folder / "missing";
  options.log = server.journal.log();
  const auto refused = ScriptHost::open(*server.registry, std::move(options));
  REQUIRE_FALSE(refused);
  CHECK(refused.refusal().code() == Code::unavailable);
  CHECK(refused.refusal().text().find("cannot be read: No such file") != std::string_view::npos);

  server.folder.write("game.lua", "laurel.on('e', function() end)");
  server.start();
  std::filesystem::rename(server.folder.path(), server.folder.path() + "-away");
  for (int i = 0; i < 3; ++i) server.tick();
  CHECK(server.emit("e") == 1);
  CHECK(server.journal.count("the running scripts continue") == 1);
  std::filesystem::rename(server.folder.path() + "-away", server.folder.path());
  server.tick();
  CHECK(server.emit("e") == 1);
  CHECK(server.host->stats().loaded == 1);
}

TEST_CASE("a handler that writes its own file runs to its end, and is replaced at the next tick") {
  Server server;
  server.folder.write("game.lua", fmt::format(R"lua(
    laurel.on('e', function()
      local file = io.open('{0}', 'w')
      file:write("laurel.on('e', function() laurel.emit('new') end)")
      file:close()
      laurel.emit('written')
      laurel.emit('tick')
      laurel.emit('still here')
    end)
    laurel.on('e', function() laurel.emit('second') end))lua",
                                              server.folder / "game.lua"));
  server.start();
  server.also = [&server](std::string_view event, std::span<const EventValue>) {
    if (event == "tick") server.tick();  // a nested tick: scripts are not reloaded
  };
  CHECK(server.emit("e") == 2);
  CHECK(server.heard() == "written;tick;still here;second;");
  CHECK(server.emit("e") == 2);
  server.also = nullptr;
  server.heard();
  server.tick();
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "new;");
}

TEST_CASE(
    "errors in a hosted script's watch are logged with file, line and traceback, a few times") {
  Server server(
      "local board = boards:board('b', {})\n"
      "local function deep(change)\n  return change.x.y\nend\n"
      "board:watch(3, function(change) deep(change) end)\n"
      "board:watch(3, function() laurel.emit('other') end)\n"
      "laurel.on('e', function(n) board:submit('p', n) end)");
  server.emit("e", {1.0});
  server.tick(0.01);
  CAPTURE(server.journal.all());
  CHECK(server.heard() == "other;");
  CHECK(server.journal.count("error: scripts/game.lua:3: attempt to index field 'x' (a nil value) "
                             "(watch of board \"b\")") == 1);
  CHECK(server.journal.count("error:     scripts/game.lua:5: in function") == 1);
  CHECK(server.host->stats().failed == 1);
  for (int i = 2; i <= 50; ++i) {
    server.emit("e", {double(i)});
    server.tick(0.001);
  }
  CHECK(server.journal.count("(watch of board \"b\")") == kSameErrorLinesPerSecond);
  CHECK(server.host->stats().failed == 50);
}

TEST_CASE(
    "a watch may emit, register and be answered, and its errors that are not text are logged") {
  Server server(R"(
    local board = boards:board('b', {})
    board:watch(3, function() laurel.emit('ask') laurel.on('late', print) laurel.emit('end') end)
    board:watch(3, function() error({}) end)
    board:watch(3, function() coroutine.wrap(function() laurel.emit('ask') end)() end)
    laurel.on('in', function() laurel.emit('in') end)
    laurel.on('e', function() board:submit('p', 1) end))");
  server.also = [&server](std::string_view event, std::span<const EventValue>) {
    if (event == "ask") server.emit("in");
  };
  server.emit("e");
  server.tick();
  CHECK(server.heard() == "ask;in;end;ask;in;");
  CHECK(server.journal.count("(watch of board \"b\")") == 1);
  CHECK(server.host->stats().handlers == 3);
}

TEST_CASE("a tick that a script makes from a coroutine calls the watches of all scripts") {
  Server server;
  server.folder.write("a.lua", "boards:board('b', {}):watch(1, function() laurel.emit('a') end)");
  server.folder.write("b.lua", R"(
    local board = boards:board('b', {})
    board:watch(1, function() laurel.emit('b') end)
    laurel.on('e', function()
      coroutine.wrap(function() board:submit('p', 1) boards:tick() coroutine.yield() end)()
      laurel.emit('end')
    end))");
  server.start();
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "a;b;end;");
}

TEST_CASE("a long-lived watch outlives any number of short ones") {
  Server server(R"(
    local board = boards:board('b', {})
    board:watch(1, function() laurel.emit('stands') end)
    laurel.on('e', function() for i = 1, 70000 do board:watch(1, print)() end board:submit('p', 1) end))");
  server.emit("e");
  server.tick();
  CHECK(server.heard() == "stands;");
  CHECK(server.registry->stats().watches == 1);
}

TEST_CASE("boards that outlive their version can be read and written, but not watched") {
  Server server("laurel.state.board = boards:board('b', {})");
  server.edit(R"(
    print(laurel.state.board:submit('p', 3))
    print((select(2, pcall(laurel.state.board.watch, laurel.state.board, 1, print)))))");
  server.edit(R"(print((select(2, pcall(laurel.state.board.watch, laurel.state.board, 1, print))))
                 print(laurel.state.board:score('p')))");
  CHECK(server.registry->stats().watches == 0);
  CHECK(server.journal.count("watch: the script that these boards were lent to was replaced or "
                             "ended") == 1);
  CHECK(server.journal.count("scripts/game.lua: 3") == 2);
}

TEST_CASE("handlers of season ends are those of the version in force, and names stay registered") {
  const auto script = [](std::string_view version, std::string_view more = "") {
    return fmt::format(
        "boards:on_season_end('prizes', function(season) laurel.emit('{}', season.season) end) {}",
        version, more);
  };
  Server server(script("old").c_str());
  REQUIRE(server.registry->open("cup", SpecChange()));
  Board& cup = *server.registry->get(*server.registry->find("cup"));
  const auto end_season = [&] {
    REQUIRE(cup.reset());
    server.tick();
    return server.heard();
  };
  CHECK(end_season() == "old 1;");
  server.edit(script("bad", "error('not now')"));
  CHECK(end_season() == "old 2;");
  server.edit(script("new"));
  CHECK(end_season() == "new 3;");
  server.edit(
      "laurel.state.stop = boards:on_season_end('prizes', function() error('called') end) "
      "laurel.state.stop()");
  CHECK(end_season().empty());
  CHECK(server.journal.count("called") == 0);
  server.folder.remove("game.lua");
  server.tick();
  CHECK(server.registry->season_ends().unheard().size() == 1);
  server.edit(script("back"), "other.lua");
  server.tick();
  CHECK(server.heard() == "back 4;");
}

TEST_CASE("a season end's handler that fails is reported as other handlers of scripts are") {
  Server server("boards:on_season_end('prizes', function() error('no gold') end)");
  REQUIRE(server.registry->open("cup", SpecChange()));
  REQUIRE(server.registry->get(*server.registry->find("cup"))->reset());
  server.tick();
  CHECK(server.journal.count("no gold") == 1);
  const std::vector<UnheardEnd> unheard = server.registry->season_ends().unheard();
  REQUIRE(unheard.size() == 1);
  CHECK(unheard[0].error == "scripts/game.lua:1: no gold");
  CHECK(server.host->stats().failed == 1);
}
