// Boards that a host lends to its scripts.
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "bindings/handle/registry_handle.h"
#include "bindings/lua_state.h"
#include "bindings/module.h"

namespace laurel {

namespace {

using test::LuaState;

RegistryOptions quiet(std::vector<std::string>& lines) {
  RegistryOptions options;
  options.log = Log([&lines](Level, std::string_view line) { lines.emplace_back(line); });
  return options;
}

RegistryHandle& lend(const LuaState& lua, Registry& registry) {
  RegistryHandle& box = push_boards(lua.get(), registry);
  lua_setglobal(lua.get(), "boards");
  return box;
}

}  // namespace

TEST_CASE("scripts and their host see the same boards") {
  std::vector<std::string> lines;
  Registry registry(quiet(lines));
  LuaState lua;
  lend(lua, registry);
  CHECK(lua.text("return boards:board('season', {}):submit('anna', 5)") == "5");
  const auto handle = registry.find("season");
  REQUIRE(handle);
  CHECK(registry.get(*handle)->score("anna") == 5);
  CHECK(lua.text("return tostring(boards)") == "boards: 1 board");
}

TEST_CASE("scripts cannot close boards that their host lends them") {
  std::vector<std::string> lines;
  Registry registry(quiet(lines));
  {
    LuaState lua;
    lend(lua, registry);
    CHECK(lua.run("boards:close()").find("only the host can close them") != std::string::npos);
    CHECK(lua.run("boards:board('season', {}) boards = nil collectgarbage()").empty());
    CHECK(!registry.closed());
  }
  CHECK(!registry.closed());
  CHECK(registry.find("season"));
}

TEST_CASE("a script's watch runs in the host's own tick, and errors go to the host's log") {
  std::vector<std::string> lines;
  Registry registry(quiet(lines));
  LuaState lua;
  lend(lua, registry);
  REQUIRE(lua.run(R"(
    board = boards:board("season", {})
    calls = 0
    board:watch(3, function() calls = calls + 1 end)
    board:watch(3, function() error("boom") end)
    board:submit("anna", 1))")
              .empty());
  registry.tick();
  CHECK(lua.text("return calls") == "1");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("boom") != std::string::npos);
  CHECK(lines[0].find("stack traceback") != std::string::npos);
}

TEST_CASE("the host can end a script's watches on lent boards, and no new ones can begin") {
  std::vector<std::string> lines;
  Registry registry(quiet(lines));
  LuaState lua;
  RegistryHandle& box = lend(lua, registry);
  REQUIRE(lua.run(R"(
    board = boards:board("season", {})
    calls = 0
    stop = board:watch(3, function() calls = calls + 1 end)
    board:submit("anna", 1))")
              .empty());
  CHECK(registry.stats().watches == 1);
  box.resources.end(&registry, nullptr);
  CHECK(registry.stats().watches == 0);
  registry.tick();
  CHECK(lua.text("return calls") == "0");
  CHECK(lua.run("stop()").empty());
  CHECK(lua.run("board:watch(3, print)").find("watch: the script that these boards were lent to") !=
        std::string::npos);
  CHECK(lua.run("boards:serve()").find("serve: the script that these boards were lent to") !=
        std::string::npos);
  CHECK(lua.text("return board:submit('anna', 2)") == "2");
}

TEST_CASE("watches end with the Lua state that made them") {
  std::vector<std::string> lines;
  Registry registry(quiet(lines));
  {
    LuaState lua;
    lend(lua, registry);
    REQUIRE(lua.run("board = boards:board('season', {}) board:watch(3, function() end)").empty());
    CHECK(registry.stats().watches == 1);
  }
  CHECK(registry.stats().watches == 0);
  registry.tick();
}

TEST_CASE("lent boards may be collected inside the tick that calls their watches") {
  std::vector<std::string> lines;
  Registry registry(quiet(lines));
  LuaState lua;
  lend(lua, registry);
  REQUIRE(lua.run(R"(
    do
      local board = boards:board("season", {})
      board:watch(3, function() boards = nil collectgarbage() collectgarbage() end)
      board:watch(3, function() reached = true end)
      board:submit("anna", 1)
    end)")
              .empty());
  registry.tick();
  registry.tick();
  CHECK(registry.stats().entries == 1);
}

TEST_CASE("after the host has closed its registry, scripts see closed boards") {
  std::vector<std::string> lines;
  auto registry = std::make_unique<Registry>(quiet(lines));
  LuaState lua;
  lend(lua, *registry);
  CHECK(registry->close());
  CHECK(lua.run("boards:names()").find("closed") != std::string::npos);
  CHECK(lua.text("return tostring(boards)") == "boards: closed");
}

}  // namespace laurel
