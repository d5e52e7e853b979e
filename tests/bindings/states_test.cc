// Several Lua states, and closing one while everything is open.
#include <string>

#include <doctest/doctest.h>

#include "bindings/lua_state.h"
#include "bindings/module.h"

using laurel::test::LuaState;

TEST_CASE("a state may close with boards, servers, clients, watches and iterators open") {
  for (int round = 0; round < 3; ++round) {
    LuaState lua;
    CHECK(lua.text(R"(
      local laurel = require "laurel"
      boards = laurel.open { log = function() end, clock = os.time }
      board = boards:board("season", {})
      for i = 1, 100 do board:submit("p" .. i, i) end
      live = assert(boards:serve { port = 0 })
      live:publish(board)
      client = assert(laurel.connect { port = live:port() })
      client:subscribe("season", 5, function() end)
      stop = board:watch(5, function() board:size() end)
      step = board:each()
      step()
      for _ = 1, 20 do client:tick() boards:tick() end
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        -- whatever was finalized before answers, and does not crash
        for _, act in ipairs { "submit", "top", "size", "info", "each" } do
          pcall(board[act], board, "x", 1)
        end
        pcall(boards.tick, boards) pcall(boards.close, boards) pcall(live.stats, live)
        pcall(client.tick, client) pcall(stop) pcall(step) tostring(board) tostring(live)
        tostring(boards) tostring(client)
      end
      kept = proxy
      return board:size())") == "100");
    lua.close();
  }
}

TEST_CASE("a log function may use its boards while the state closes") {
  LuaState lua;
  CHECK(lua.run(R"(
    local laurel = require "laurel"
    boards = laurel.open { log = function() boards:names() end }
    board = boards:board("season", {})
    board:watch(1, function() error("x") end)
    board:submit("anna", 1)
    boards:tick())")
            .empty());
  lua.close();
}

TEST_CASE("two Lua states use the module independently") {
  LuaState one;
  LuaState other;
  const std::string open = R"(
    boards = require("laurel").open()
    board = boards:board("season", {})
    return #boards:names())";
  CHECK(one.text(open) == "1");
  CHECK(other.text(open) == "1");
  CHECK(one.text("board:submit('anna', 1) return board:size()") == "1");
  CHECK(other.text("return board:size()") == "0");
  one.close();
  CHECK(other.text("board:submit('bob', 1) return board:size()") == "1");
}

TEST_CASE("opening the module leaves one value and keeps the stack") {
  LuaState lua;
  lua_settop(lua.get(), 0);
  lua_pushstring(lua.get(), "below");
  CHECK(laurel::open_module(lua.get()) == 1);
  CHECK(lua_gettop(lua.get()) == 2);
  CHECK(laurel::open_module(lua.get()) == 1);
  CHECK(lua_gettop(lua.get()) == 3);
  CHECK(lua_rawequal(lua.get(), 2, 3));
}

TEST_CASE("without the debug library errors have no tracebacks") {
  LuaState lua;
  CHECK(lua.text(R"(
    debug = nil
    local lines = {}
    local boards = require("laurel").open { log = function(_, text) lines[1] = text end }
    local board = boards:board("season", {})
    board:watch(1, function() error("boom", 0) end)
    board:submit("anna", 1)
    boards:tick()
    return lines[1])") == "watch of board \"season\": boom");
}
