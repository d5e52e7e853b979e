// board: the running season, resetting it, and past seasons.
#include <array>

#include "bindings/api/board_call.h"

namespace laurel {

namespace {

namespace seasons {

// ---- board:season() -> number of the running season, or of the past season that the handle reads

int local_season(lua_State* L) {
  const Call call{L, "season"};
  const BoardRef& self = board_self(call);
  const std::uint64_t running = board_of(call, self).season().number;
  return push_answer(L, self.is_past() ? self.season : running);
}

int push_season(lua_State* L, RemoteCall& pending) {
  return push_answer(L, pending.answer<SeasonFacts>().season.number);
}

int remote_season(lua_State* L) {
  const Call call{L, "season"};
  const RemoteBoardRef& self = remote_self(call);
  if (self.season != 0) return push_answer(L, self.season);
  return wait_for(call, self, push_season, [] { return request::ReadSeason{}; });
}

// board:reset() -> number of the season that ended | nil, reason
struct Reset {
  static constexpr FunctionName kName = "reset";

  Result<std::uint64_t> local(Board& board) const { return board.reset(); }
  request::Reset remote() const { return {}; }
};

// board:seasons() -> numbers of the kept seasons, newest first
struct Seasons {
  static constexpr FunctionName kName = "seasons";
  static constexpr bool kOfBoard = true;

  std::span<const std::uint64_t> local(const Board& board, CallBuffers& buffers) const {
    buffers.numbers = board.seasons();
    return buffers.numbers;
  }
  request::Seasons remote() const { return {}; }
  static std::span<const std::uint64_t> answer(RemoteCall& pending) {
    return pending.answer<std::vector<std::uint64_t>>();
  }
};

// ---- board:archived(season) -> board of a past season | nil

int local_archived(lua_State* L) {
  const Call call{L, "archived"};
  const BoardRef& self = board_self(call);
  const std::size_t number = call.count(1);
  if (self.cohort != 0) {
    return refuse(L, {Code::unsupported, "a cohort is of one season: ask the board's past season"});
  }
  if (self.season == kSegment) {
    return refuse(L, {Code::unsupported, "a past season keeps no segments"});
  }
  const Board& board = board_of(call, self);
  if (may_be_archived(*self.boards, board, number)) {
    return request_archived(call, self, number, board.created());
  }
  if (board.archived(number) == nullptr) {
    lua_pushnil(L);
  } else {
    push_board(L, *self.boards, self.handle, number, self.name());
  }
  return 1;
}

int push_archived(lua_State* L, RemoteCall& pending) {
  const auto& self = *static_cast<const RemoteBoardRef*>(pending.place);
  push_environment(L, *pending.owner());
  push_remote_board(L, pending.boards(), self.handle, pending.season(), self.name());
  return 1;
}

int remote_archived(lua_State* L) {
  const Call call{L, "archived"};
  const RemoteBoardRef& self = remote_self(call);
  if (redirect_to_source_board(call, self)) return local_archived(L);
  const std::size_t number = call.count(1);
  if (number == 0) {  // no season has this number
    if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
    lua_pushnil(L);
    return 1;
  }
  return wait_for(
      call, *self.boards, self.name(), self.handle, number, push_archived,
      [] { return request::ReadSeason{}; },
      [L](RemoteCall& pending) {
        pending.place = lua_touserdata(L, 1);
        pending.absent_is_nil = true;
      });
}

}  // namespace seasons

constexpr std::array kBoardSeasonMethods = {
    BoardMethod{"season", guarded<seasons::local_season>, guarded<seasons::remote_season>},
    kWriteMethod<seasons::Reset>,
    kReadMethod<seasons::Seasons>,
    BoardMethod{"archived", guarded<seasons::local_archived>, guarded<seasons::remote_archived>},
};

}  // namespace

BoardMethods board_season_methods() { return kBoardSeasonMethods; }

}  // namespace laurel
