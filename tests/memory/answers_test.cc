// What scripts and hosts hear when there is no memory for a write.
#include <array>
#include <cstdio>

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <lua.hpp>

#include "bindings/handle/registry_handle.h"
#include "bindings/lua_state.h"
#include "bindings/module.h"
#include "board/fixture.h"
#include "plugin/host_fixture.h"
#include "registry_text.h"
#include "small_heap.h"

namespace laurel::test {

namespace {

// Lua's own memory does not come from the heap that ends.
int end_heap(lua_State*) {
  end_heap_after(0);
  return 0;
}

int renew(lua_State*) {
  renew_heap();
  return 0;
}

// A script that has `boards`, and can end the heap.
struct Game : Fixture {
  Game() {
    push_boards(lua.get(), *registry);
    lua_setglobal(lua.get(), "boards");
    lua_register(lua.get(), "end_heap", end_heap);
    lua_register(lua.get(), "renew_heap", renew);
  }

  LuaState lua;
};

}  // namespace

TEST_CASE("a script hears `unavailable: no memory` for every write, and all is as it was") {
  Game game;
  LuaState& lua = game.lua;
  REQUIRE(lua.run("board = boards:board('b', { keep = 'latest' })"
                  "board:submit('ann', 1) board:ban('bob')"
                  "boards:save_player{ id = 'ann' }")
              .empty());

  // The reserve ends soon, since every write of a new player takes memory.
  CHECK(lua.text("end_heap() local taken = 0 "
                 "for i = 1, 1e6 do "
                 "  local score, reason = board:submit('new ' .. i, i)"
                 "  if not score then why = reason break end taken = i "
                 "end "
                 "return tostring(why) .. ' ' .. tostring(board:size() == taken + 1)") ==
        "unavailable: no memory true");
  const std::string before = text_of(*game.registry);
  for (const char* const write :
       {"board:submit('ann', 2)", "board:add('ann', 2)", "board:set('ann', 2)",
        "board:submit_report('ann', 2)", "board:submit_all{ { 'ann', 2 } }", "board:remove('ann')",
        "board:join('cid')", "board:leave('ann')", "board:ban('ann')", "board:unban('bob')",
        "board:reset()", "boards:board('new', {})", "boards:board('b', { meta = 'm' })",
        "boards:submit({ 'b' }, 'ann', 2)", "boards:ban('ann')", "boards:forget('ann')",
        "boards:save_player{ id = 'ann', name = 'Ann' }",
        "boards:record_session{ player = 'ann', game = 'g', score = 1, seconds = 1 }"}) {
    CAPTURE(write);
    CHECK(lua.text(fmt::format("local answer, reason = {} "
                               "return tostring(answer) .. ', ' .. tostring(reason)",
                               write)) == "nil, unavailable: no memory");
  }
  CHECK(lua.run("renew_heap()").empty());
  CHECK(text_of(*game.registry) == before);
  CHECK(lua.text("return board:submit('ann', 2)") == "2");
}

TEST_CASE("a script without memory can clear and drop boards") {
  Game game;
  LuaState& lua = game.lua;
  REQUIRE(lua.run("board = boards:board('b', {}) boards:board('c', {}):submit('ann', 1) end_heap()"
                  "for i = 1, 1e6 do"
                  "  local score, reason = board:submit('new ' .. i, i)"
                  "  why = reason if not score then break end "
                  "end")
              .empty());
  CHECK(lua.text("return why") == "unavailable: no memory");
  CHECK(lua.text("return tostring(board:clear() > 0)") == "true");
  CHECK(lua.text("return tostring(boards:drop('c'))") == "true");
  CHECK(lua.text("return board:size() .. ' ' .. #boards:names()") == "0 1");
  CHECK(lua.run("renew_heap()").empty());
  CHECK(lua.text("return board:submit('ann', 2)") == "2");
}

TEST_CASE("a host hears LAUREL_UNAVAILABLE, and all is as it was") {
  Host host;
  const laurel_board board = host.board("b");
  laurel_code code = LAUREL_OK;
  double taken = 0;
  std::array<char, 32> player{};
  end_heap_after(0);
  for (; code == LAUREL_OK; ++taken) {
    (void)std::snprintf(player.data(), player.size(), "a player with number %.0f", taken);
    code = api().submit(host.boards, board, player.data(), taken, nullptr, nullptr, &host.error);
  }
  renew_heap();
  CHECK(code == LAUREL_UNAVAILABLE);
  CHECK(std::string(host.error.text) == "unavailable: no memory");
  CHECK(static_cast<double>(api().size(host.boards, board)) == taken - 1);
  CHECK(api().submit(host.boards, board, "ann", 1, nullptr, nullptr, &host.error) == LAUREL_OK);
}

}  // namespace laurel::test
