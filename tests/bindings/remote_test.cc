// Remote boards from Lua, on a remote without a network.
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "bindings/handle/registry_handle.h"
#include "bindings/lua/tasks.h"
#include "bindings/lua_state.h"
#include "bindings/module.h"
#include "remote/remote_boards.h"
#include "remote/servers.h"

namespace laurel {

namespace {

using test::LuaState;

// Two servers on one store, and functions by which a script controls the network.
struct World {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  GameServer server{time, store};
  GameServer other{time, store};
  GameServer keeper{
      time, store, {.path = {}, .rules = {}, .seed = 1, .weather = {}, .players = true}};
  GameServer archivist{time,
                       store,
                       {.path = {},
                        .rules = {},
                        .seed = 1,
                        .weather = {},
                        .players = false,
                        .archive = true,
                        .carried = true}};

  static World& of(lua_State* L) {
    return *static_cast<World*>(lua_touserdata(L, lua_upvalueindex(1)));
  }
  static int pass(lua_State* L) {
    of(L).time.pass(static_cast<Time>(lua_tonumber(L, 1) * 1e6));
    return 0;
  }
  static int down(lua_State* L) {
    of(L).server.remote->down(lua_tostring(L, 1));
    return 0;
  }
  static int away(lua_State* L) {
    of(L).archivist.archive->down(lua_tostring(L, 1));
    return 0;
  }
  static int stall(lua_State* L) {
    of(L).server.remote->stall(lua_toboolean(L, 1) != 0);
    return 0;
  }
  static int lines(lua_State* L) {
    std::string text;
    for (const std::string& line : of(L).server.log) text += line + "\n";
    of(L).server.log.clear();
    lua_pushlstring(L, text.data(), text.size());
    return 1;
  }

  RegistryHandle& lend(const LuaState& lua) {
    lua_State* const L = lua.get();
    push_boards(L, *other.registry);
    lua_setglobal(L, "others");
    push_boards(L, *keeper.registry);
    lua_setglobal(L, "far");
    push_boards(L, *archivist.registry);
    lua_setglobal(L, "kept");
    RegistryHandle& box = push_boards(L, *server.registry);
    lua_setglobal(L, "boards");
    for (const luaL_Reg& each : {luaL_Reg{"pass", pass},
                                 {"down", down},
                                 {"away", away},
                                 {"stall", stall},
                                 {"lines", lines}}) {
      lua_pushlightuserdata(L, this);
      lua_pushcclosure(L, each.func, 1);
      lua_setglobal(L, each.name);
    }
    return box;
  }
};

void run_spec(const std::string& before, const std::string& file = "remote/remote_spec") {
  World world;
  LuaState lua;
  world.lend(lua);
  const std::string error = lua.run(before +
                                    " local spec = require 'spec' "
                                    "dofile('" LAUREL_SPECS "/" +
                                    file +
                                    ".lua') "
                                    "return spec.passed, unpack(spec.failures)");
  REQUIRE_MESSAGE(error.empty(), error);
  CHECK(lua_tointeger(lua.get(), 1) > 0);
  for (int i = 2; i <= lua_gettop(lua.get()); ++i) {
    const std::string failure = lua_tostring(lua.get(), i);
    FAIL_CHECK(failure);
  }
}

constexpr const char* kWait = R"(
  world = boards:board("world", { remote = "main" })
  boards:tick() boards:tick() boards:tick()
  stall(true)
  went_on = false
  require("laurel").task(function() world:size() went_on = true end))";

std::size_t waiting(const LuaState& lua) { return Tasks::of(lua.get())->waiting(); }

}  // namespace

TEST_CASE("Lua: remote boards") { run_spec(""); }

TEST_CASE("Lua: remote boards, with an aggressive garbage collector") {
  run_spec("collectgarbage('setpause', 0) collectgarbage('setstepmul', 400)");
}

TEST_CASE("Lua: remote players") { run_spec("", "remote/remote_players_spec"); }

TEST_CASE("Lua: remote players, with an aggressive garbage collector") {
  run_spec("collectgarbage('setpause', 0) collectgarbage('setstepmul', 400)",
           "remote/remote_players_spec");
}

TEST_CASE("Lua: seasons in the archive") { run_spec("", "remote/remote_archive_spec"); }

TEST_CASE("Lua: seasons in the archive, with an aggressive garbage collector") {
  run_spec("collectgarbage('setpause', 0) collectgarbage('setstepmul', 400)",
           "remote/remote_archive_spec");
}

TEST_CASE("a waiting task is dropped when its host closes the registry") {
  World world;
  LuaState lua;
  world.lend(lua);
  REQUIRE(lua.run(kWait) == "");
  CHECK(waiting(lua) == 1);
  CHECK(world.server.registry->close());
  CHECK(waiting(lua) == 0);
  CHECK(lua.text("return went_on") == "false");
  CHECK(lua.run("require('laurel').task(function() error('x') end) collectgarbage()") == "");
}

TEST_CASE("a waiting task is collected with its boards when they are no longer referenced") {
  World world;
  LuaState lua;
  world.lend(lua);
  REQUIRE(lua.run(kWait) == "");
  CHECK(waiting(lua) == 1);
  REQUIRE(lua.run("world = nil boards = nil collectgarbage() collectgarbage()") == "");
  CHECK(waiting(lua) == 0);
  world.server.registry->tick();
  CHECK(lua.text("return went_on") == "false");
}

TEST_CASE("a state may close while tasks wait") {
  World world;
  LuaState lua;
  world.lend(lua);
  REQUIRE(lua.run(std::string(kWait) + R"(
    local proxy = newproxy(true)
    local laurel = require "laurel"
    getmetatable(proxy).__gc = function()
      pcall(laurel.task, print) pcall(world.size, world) pcall(boards.tick, boards)
    end
    kept = proxy)") == "");
  lua.close();
  world.server.remote->stall(false);
  world.server.registry->tick();
}

TEST_CASE("the host's own tick resumes tasks") {
  World world;
  LuaState lua;
  world.lend(lua);
  REQUIRE(lua.run(kWait) == "");
  world.server.remote->stall(false);
  world.server.tick(5);
  CHECK(lua.text("return went_on") == "true");
}

}  // namespace laurel
