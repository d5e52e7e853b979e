// board: reading one player's place, and counting.
#include <array>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/boards_box.h"
#include "bindings/push_entry.h"
#include "bindings/score_range.h"
#include "bindings/wraps.h"

namespace laurel {

namespace {

int push_none(lua_State* L) {
  lua_pushnil(L);
  return 1;
}

// board:size() -> number
int size(lua_State* L) {
  const Call call{L, "size"};
  const BoardRef& self = board_self(call);
  lua_pushnumber(L, static_cast<double>(board_of(call, self).size()));
  return 1;
}

// board:get(player) -> entry | nil
int get(lua_State* L) {
  const Call call{L, "get"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  std::optional<Entry> entry = board_of(call, self).get(player);
  if (!entry) return push_none(L);

  std::array<char, kDataBytesMax> data;  // a finalizer may change the board while tables are made
  entry->player = player;
  if (entry->data) {
    const std::size_t bytes = entry->data->copy(data.data(), data.size());
    entry->data = std::string_view(data.data(), bytes);
  }
  push_entry(L, *entry);
  return 1;
}

// board:score(player) -> score | nil
int score(lua_State* L) {
  const Call call{L, "score"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const std::optional<double> held = board_of(call, self).score(player);
  if (!held) return push_none(L);
  lua_pushnumber(L, *held);
  return 1;
}

Refusal unknown_ranking(std::string_view given) {
  return {Code::unknown, "no ranking is called \"{}\"; there are {}", escaped(given, 32),
          one_of(ranking_words())};
}

// board:rank(player [, ranking]) -> rank, size | nil | nil, reason
int rank(lua_State* L) {
  const Call call{L, "rank"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const std::optional<std::string_view> asked = call.optional_string(2);
  const Board& board = board_of(call, self);

  std::optional<Ranking> ranking;
  if (asked) {
    ranking = ranking_from_word(*asked);
    if (!ranking) return refuse(L, unknown_ranking(*asked));
  }
  const std::optional<Standing> standing = board.rank(player, ranking);
  if (!standing) return push_none(L);
  lua_pushnumber(L, static_cast<double>(standing->rank));
  lua_pushnumber(L, static_cast<double>(standing->size));
  return 2;
}

// board:rank_of(score) -> rank | nil, reason
int rank_of(lua_State* L) {
  const Call call{L, "rank_of"};
  const BoardRef& self = board_self(call);
  const double newcomer = call.number(1);
  const Result<std::uint64_t> found = board_of(call, self).rank_of(newcomer);
  if (!found) return refuse(L, found.refusal());
  lua_pushnumber(L, static_cast<double>(*found));
  return 1;
}

// board:count([low [, high]]) -> number | nil, reason
int count(lua_State* L) {
  const Call call{L, "count"};
  const BoardRef& self = board_self(call);
  const Result<ScoreRange> range = score_range(call, 1, 2);
  const Board& board = board_of(call, self);
  if (!range) return refuse(L, range.refusal());
  lua_pushnumber(L, static_cast<double>(board.count(*range)));
  return 1;
}

// board:percentile(player) -> number | nil
int percentile(lua_State* L) {
  const Call call{L, "percentile"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const std::optional<double> share = board_of(call, self).percentile(player);
  if (!share) return push_none(L);
  lua_pushnumber(L, *share);
  return 1;
}

constexpr std::array kMethods = {
    luaL_Reg{"size", guarded<size>},
    luaL_Reg{"get", guarded<get>},
    luaL_Reg{"score", guarded<score>},
    luaL_Reg{"rank", guarded<rank>},
    luaL_Reg{"rank_of", guarded<rank_of>},
    luaL_Reg{"count", guarded<count>},
    luaL_Reg{"percentile", guarded<percentile>},
};

}  // namespace

Methods board_read_methods() { return kMethods; }

}  // namespace laurel
