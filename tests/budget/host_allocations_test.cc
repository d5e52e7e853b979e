// What the hot calls allocate through the C interface and from scripts: not more than the boards
// themselves.
#include <array>

#include <doctest/doctest.h>

#include "allocations.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua_state.h"
#include "bindings/module.h"
#include "board/fixture.h"
#include "crowd.h"
#include "plugin/host_fixture.h"

namespace laurel {

namespace {

using test::allocations_of;
using test::api;
using test::Crowd;
using test::Host;
using test::LuaState;

constexpr int kHostCalls = 10'000;
constexpr std::size_t kMembers = 100;  // small enough that the board is not a tree

template <typename Call>
std::size_t allocations_of_calls(const Call& call) {
  call();  // fills reusable buffers
  return allocations_of([&] {
    for (int i = 0; i < kHostCalls; ++i) call();
  });
}

// A registry with a full board "b", lent to scripts as `board`, and the players as `ids`.
struct Scripts {
  Scripts() : board(game.board("b", {{"keep", "latest"}})), crowd(kMembers) {
    for (std::size_t i = 0; i < kMembers * 5; ++i) {
      const std::string& id = crowd.ids()[i % kMembers];
      (void)board.submit(WriteMode::submit, {.player = id, .score = crowd.score()});
    }
    push_boards(lua.get(), *game.registry);
    lua_setglobal(lua.get(), "boards");
    lua_newtable(lua.get());
    for (std::size_t i = 0; i < kMembers; ++i) {
      lua_pushstring(lua.get(), crowd.ids()[i].c_str());
      lua_rawseti(lua.get(), -2, static_cast<int>(i + 1));
    }
    lua_setglobal(lua.get(), "ids");
    REQUIRE(lua.run("board = boards:board('b')").empty());
  }
  // The allocations of kHostCalls runs of `call`, in which `i` counts up and `id` is a player.
  std::size_t allocations(const std::string& call) {
    REQUIRE(lua.run("function calls(n) for i = 1, n do local id = ids[i * 7 % #ids + 1] " + call +
                    " end end calls(1000)")
                .empty());
    return allocations_of([&] {
      lua_settop(lua.get(), 0);
      lua_getglobal(lua.get(), "calls");
      lua_pushnumber(lua.get(), kHostCalls);
      REQUIRE(lua_pcall(lua.get(), 1, 0, 0) == 0);
    });
  }

  Fixture game;
  Board& board;
  Crowd crowd;
  LuaState lua;
};

}  // namespace

TEST_CASE("through the C interface a submit of a known player and reads allocate nothing") {
  Host host;
  laurel_spec spec = test::empty_spec();
  spec.keep = "latest";
  const laurel_board board = host.board("b", &spec);
  Crowd crowd(kMembers);
  const auto submit_any = [&] {
    laurel_outcome outcome{};
    if (api().submit(host.boards, board, crowd.any().c_str(), crowd.score(), nullptr, &outcome,
                     &host.error) != LAUREL_OK) {
      FAIL("refused");
    }
  };
  for (int i = 0; i < 2 * kHostCalls; ++i) submit_any();
  std::array<laurel_board_entry, 100> list;
  std::uint64_t rank = 0;
  double score = 0;
  const auto any = [&] { return crowd.any().c_str(); };

  CHECK(allocations_of_calls(submit_any) == 0);
  CHECK(allocations_of_calls([&] { api().score(host.boards, board, any(), &score); }) == 0);
  CHECK(allocations_of_calls([&] { api().rank(host.boards, board, any(), &rank, nullptr); }) == 0);
  CHECK(allocations_of_calls([&] { api().top(host.boards, board, list.data(), 100); }) == 0);
  CHECK(allocations_of_calls([&] { api().page(host.boards, board, 50, list.data(), 10); }) == 0);
  CHECK(allocations_of_calls([&] { api().around(host.boards, board, any(), 5, list.data()); }) ==
        0);
  CHECK(allocations_of_calls([&] { api().tick(host.boards); }) == 0);
}

TEST_CASE("through the C interface a batch allocates at most twice, at any length") {
  Host host;
  const laurel_board board = host.board("b");
  Crowd crowd(kMembers);
  std::vector<laurel_result> batch;
  for (const std::string& id : crowd.ids()) batch.push_back({id.c_str(), crowd.score(), LAUREL_OK});
  const auto submit = [&] { api().submit_all(host.boards, board, batch.data(), batch.size()); };
  submit();
  for (laurel_result& result : batch) result.score = crowd.score();
  CHECK(allocations_of(submit) <= 2);
}

TEST_CASE("from scripts a submit of a known player allocates nothing outside Lua") {
  Scripts on;
  CHECK(on.allocations("board:submit(id, i)") == 0);
  CHECK(on.allocations("board:add(id, 1)") == 0);
  CHECK(on.allocations("board:set(id, i * 7919 % 1000)") == 0);
  CHECK(on.allocations("board:submit('new ' .. i, i)") > 0);
}

TEST_CASE("from scripts scores, ranks and lists allocate nothing outside Lua") {
  Scripts on;
  CHECK(on.allocations("board:score(id)") == 0);
  CHECK(on.allocations("board:rank(id)") == 0);
  CHECK(on.allocations("board:get(id)") == 0);
  CHECK(on.allocations("board:count(100, i)") == 0);
  CHECK(on.allocations("board:top(10)") == 0);
  CHECK(on.allocations("board:page(50, 10)") == 0);
  CHECK(on.allocations("board:around(id, 5)") == 0);
  CHECK(on.allocations("boards:tick()") == 0);
}

TEST_CASE("from scripts a batch of known players allocates nothing outside Lua") {
  Scripts on;
  REQUIRE(on.lua.run("batch = {} for i = 1, 100 do batch[i] = { ids[i], i } end").empty());
  CHECK(on.allocations("batch[1][2] = i; board:submit_all(batch)") == 0);
}

}  // namespace laurel
