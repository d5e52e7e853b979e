// board: the running season, resetting it, and past seasons.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/remote/remote_archive.h"
#include "bindings/values/push_entry.h"

namespace laurel {

namespace {

// board:season() -> number of the running season, or of the past season that the handle reads
int board_season(lua_State* L) {
  const Call call{L, "season"};
  const BoardRef& self = board_self(call);
  const std::uint64_t running = board_of(call, self).season().number;
  lua_pushnumber(L, static_cast<double>(self.season == 0 ? running : self.season));
  return 1;
}

// board:reset() -> number of the season that ended | nil, reason
int board_reset(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  const Result<std::uint64_t> ended = resolve_board(call, self).reset();
  flush_log(L, *self.boards);
  if (!ended) return refuse(L, ended.refusal());
  lua_pushnumber(L, static_cast<double>(*ended));
  return 1;
}

void read_seasons(const Board& board, std::vector<double>& out) {
  for (const std::uint64_t number : board.seasons()) out.push_back(static_cast<double>(number));
}

constexpr std::array kBoardSeasonsMethods = {
    luaL_Reg{"season", guarded<board_season>},
    luaL_Reg{"reset", guarded<write_method<"reset", board_reset>>},
    luaL_Reg{"seasons", guarded<board_seasons>},
    luaL_Reg{"archived", guarded<board_archived>},
};

}  // namespace

// board:seasons() -> numbers of the kept seasons, newest first
int board_seasons(lua_State* L) {
  const Call call{L, "seasons"};
  const BoardRef& self = board_self(call);
  CallBuffers& buffers = borrow_buffers(call, self);
  read_seasons(board_of(call, self), buffers.numbers);

  push_numbers(L, buffers.numbers);
  self.boards->buffers.give_back(buffers);
  return 1;
}

// board:archived(season) -> board of a past season | nil
int board_archived(lua_State* L) {
  const Call call{L, "archived"};
  const BoardRef& self = board_self(call);
  const std::size_t number = call.count(1);
  const Board& board = board_of(call, self);
  if (may_be_archived(*self.boards, board, number)) {
    return remote_archived(call, self, number, board.created());
  }
  if (board.archived(number) == nullptr) {
    lua_pushnil(L);
  } else {
    push_board(L, *self.boards, self.handle, number, self.name());
  }
  return 1;
}

Methods board_season_methods() { return kBoardSeasonsMethods; }

}  // namespace laurel
