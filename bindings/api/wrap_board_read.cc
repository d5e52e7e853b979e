// board: reading one player's entry and rank, and counting.
#include <array>

#include "base/limits.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/read_options.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/read_score_range.h"

namespace laurel {

namespace {

int push_none(lua_State* L) {
  lua_pushnil(L);
  return 1;
}

// board:size([options]) -> number | nil, reason
int board_size(lua_State* L) {
  const Call call{L, "size"};
  const BoardRef& self = board_self(call);
  const std::optional<double> at = take_time_option(call, 1, 1);
  std::size_t players = 0;
  const Status read =
      read_standings(standings_of(call, self), self, at,
                     [&](const Standings& standings) { players = standings.size(); });
  if (!read) return refuse(L, read.refusal());
  lua_pushnumber(L, static_cast<double>(players));
  return 1;
}

// board:get(player) -> entry | nil
int board_get(lua_State* L) {
  const Call call{L, "get"};
  const auto& self = self_of<BoardRef>(call);
  const Standings& standings = resolve_standings(call, self);
  const std::string_view player = call.string(1);
  std::optional<Entry> entry = standings.get(player);
  if (!entry) return push_none(L);

  std::array<char, kDataBytesMax> data;  // a copy: a finalizer may change the board in push_entry
  entry->player = player;
  if (entry->data) {
    const std::size_t bytes = entry->data->copy(data.data(), data.size());
    entry->data = std::string_view(data.data(), bytes);
  }
  push_entry(L, *entry);
  return 1;
}

// board:score(player [, options]) -> score | nil | nil, reason
int board_score(lua_State* L) {
  const Call call{L, "score"};
  const auto& self = self_of<BoardRef>(call);
  const Standings& standings = resolve_standings(call, self);
  const std::string_view player = call.string(1);
  if (call.arguments() == 1) {
    push_optional(L, standings.score(player));
    return 1;
  }
  const std::optional<double> at = take_time_option(call, 2, 2);
  std::optional<double> held;
  const Status read = read_standings(standings_of(call, self), self, at,
                                     [&](const Standings& then) { held = then.score(player); });
  if (!read) return refuse(L, read.refusal());
  push_optional(L, held);
  return 1;
}

int board_answer(lua_State* L, const std::optional<Standing>& standing) {
  if (!standing) return push_none(L);
  lua_pushnumber(L, static_cast<double>(standing->rank));
  lua_pushnumber(L, static_cast<double>(standing->size));
  return 2;
}

// board:rank(player [, ranking] [, options]) -> rank, size | nil | nil, reason
int board_rank(lua_State* L) {
  const Call call{L, "rank"};
  const auto& self = self_of<BoardRef>(call);
  const Standings& standings = resolve_standings(call, self);
  const std::string_view player = call.string(1);
  if (call.arguments() == 1) return board_answer(L, standings.rank(player, std::nullopt));
  const std::optional<double> at = take_time_option(call, 2, 3);
  const Result<std::optional<Ranking>> ranking = ranking_argument(call, 2);
  if (!ranking) return refuse(L, ranking.refusal());
  std::optional<Standing> standing;
  const Status read =
      read_standings(standings_of(call, self), self, at,
                     [&](const Standings& then) { standing = then.rank(player, *ranking); });
  if (!read) return refuse(L, read.refusal());
  return board_answer(L, standing);
}

// board:rank_of(score) -> rank | nil, reason
int board_rank_of(lua_State* L) {
  const Call call{L, "rank_of"};
  const auto& self = self_of<BoardRef>(call);
  const Standings& standings = resolve_standings(call, self);
  const Result<std::uint64_t> found = standings.rank_of(call.number(1));
  if (!found) return refuse(L, found.refusal());
  lua_pushnumber(L, static_cast<double>(*found));
  return 1;
}

// board:count([low [, high]] [, options]) -> number | nil, reason
int board_count(lua_State* L) {
  const Call call{L, "count"};
  const BoardRef& self = board_self(call);
  const std::optional<double> at = take_time_option(call, 1, 3);
  const Result<ScoreRange> range = score_range(call, 1, 2);
  if (!range) return refuse(L, range.refusal());
  std::size_t scores = 0;
  const Status read =
      read_standings(standings_of(call, self), self, at,
                     [&](const Standings& standings) { scores = standings.count(*range); });
  if (!read) return refuse(L, read.refusal());
  lua_pushnumber(L, static_cast<double>(scores));
  return 1;
}

// board:percentile(player) -> number | nil
int board_percentile(lua_State* L) {
  const Call call{L, "percentile"};
  const auto& self = self_of<BoardRef>(call);
  const Standings& standings = resolve_standings(call, self);
  push_optional(L, standings.percentile(call.string(1)));
  return 1;
}

constexpr std::array kBoardReadMethods = {
    luaL_Reg{"size", guarded<board_size>},
    luaL_Reg{"get", guarded<board_get>},
    luaL_Reg{"score", guarded<board_score>},
    luaL_Reg{"rank", guarded<board_rank>},
    luaL_Reg{"rank_of", guarded<board_rank_of>},
    luaL_Reg{"count", guarded<board_count>},
    luaL_Reg{"percentile", guarded<board_percentile>},
};

}  // namespace

Methods board_read_methods() { return kBoardReadMethods; }

}  // namespace laurel
