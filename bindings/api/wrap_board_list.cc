// board: reading lists of entries, and iterating over all entries.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/limits.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/read_options.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/read_score_range.h"

namespace laurel {

namespace {

// Reads a list of entries from what the handle reads, now or as of a later time, and pushes it.
template <typename Read>
int answer_entries(const Call& call, const BoardRef& self, std::optional<double> at, Read read) {
  CallBuffers& buffers = borrow_buffers(call, self);
  const Status done =
      read_standings(standings_of(call, self, buffers), self, at, [&](const Standings& standings) {
        read(standings, buffers.entries);
        buffers.own_entries();
      });
  if (done) push_entries(call.L, buffers.entries);
  self.boards->buffers.give_back(buffers);
  return done ? 1 : refuse(call.L, done.refusal());
}

template <typename Read>
int answer_entries(const Call& call, const BoardRef& self, Read read) {
  return answer_entries(call, self, std::nullopt, read);
}

// The first n in a single read -> entries, whether that is certain | nil, reason
int answer_top_once(const Call& call, const BoardRef& self, std::size_t n, double confidence) {
  CallBuffers& buffers = borrow_buffers(call, self);
  const Result<bool> certain =
      standings_of(call, self, buffers).top_once(n, confidence, buffers.entries);
  buffers.own_entries();
  if (certain) {
    push_entries(call.L, buffers.entries);
    lua_pushboolean(call.L, *certain);
  }
  self.boards->buffers.give_back(buffers);
  return certain ? 2 : refuse(call.L, certain.refusal());
}

// board:top(n [, options]) -> entries [, whether that is certain] | nil, reason
int board_top(lua_State* L) {
  const Call call{L, "top"};
  const BoardRef& self = board_self(call);
  const std::size_t n = call.count(1);
  const Result<ReadOptions> options = take_top_options(call);
  if (!options) return refuse(L, options.refusal());
  if (options->confidence) return answer_top_once(call, self, n, *options->confidence);
  return answer_entries(call, self, options->at, [n](const Standings& standings, Entries& out) {
    standings.read(0, n, out);
  });
}

// board:bottom(n) -> entries, worst first
int board_bottom(lua_State* L) {
  const Call call{L, "bottom"};
  const BoardRef& self = board_self(call);
  const std::size_t n = call.count(1);
  return answer_entries(
      call, self, [n](const Standings& standings, Entries& out) { standings.bottom(n, out); });
}

// board:page(first, n [, options]) -> entries | nil, reason
int board_page(lua_State* L) {
  const Call call{L, "page"};
  const BoardRef& self = board_self(call);
  const std::size_t first = call.position(1);
  const std::size_t n = call.count(2);
  const std::optional<double> at = take_time_option(call, 3, 3);
  return answer_entries(call, self, at, [first, n](const Standings& standings, Entries& out) {
    if (first <= standings.size()) standings.read(first - 1, n, out);
  });
}

// board:around(player, n) -> entries; n = 0: the player alone
int board_around(lua_State* L) {
  const Call call{L, "around"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const std::optional<std::size_t> n = call.count_from_zero(2);
  return answer_entries(call, self, [player, n](const Standings& standings, Entries& out) {
    if (n) standings.around(player, *n, out);
  });
}

// board:between(low, high [, limit]) -> entries | nil, reason
int board_between(lua_State* L) {
  const Call call{L, "between"};
  const BoardRef& self = board_self(call);
  const Result<ScoreRange> range = score_range(call, 1, 2);
  const std::size_t limit = call.absent(3) ? SIZE_MAX : call.count(3);
  if (!range) return refuse(L, range.refusal());
  return answer_entries(call, self, [&range, limit](const Standings& standings, Entries& out) {
    standings.between(*range, limit, out);
  });
}

// board:among(players) -> entries with overall
int board_among(lua_State* L) {
  const Call call{L, "among"};
  const BoardRef& self = board_self(call);
  call.strings(1);
  CallBuffers& buffers = borrow_buffers(call, self);
  if (const int wrong = call.read_strings(1, buffers.views)) {
    self.boards->buffers.give_back(buffers);
    call.raise_item(1, wrong);
  }
  standings_of(call, self, buffers).among(buffers.views, buffers.entries);
  buffers.own_entries();
  push_entries(L, buffers.entries);
  self.boards->buffers.give_back(buffers);
  return 1;
}

// ---- board:each([first])

// The iterator's upvalues: its position, and the last entry that it returned.
constexpr int kEachBoard = 2;
constexpr int kEachNext = 3;    // 0-based: where to start, then where the last entry was
constexpr int kEachPlayer = 4;  // nil at the start
constexpr int kEachScore = 5;
constexpr int kEachAt = 6;

// No board is that long; the double converts to a size and back exactly.
constexpr double kPositionMax = 9007199254740992.0;  // 2^53

struct Step {
  std::size_t position = 0;
  bool found = false;
  Entry entry;
  std::array<char, kPlayerBytesMax> player;
  std::array<char, kDataBytesMax> data;
};

// Returns the position to continue at, after an entry that was at `last`. If the entry is
// unchanged, that is the position after it, wherever it is now. If it was removed or moved down,
// the entries after it moved up, so it is `last`. If it moved up itself, it is the position after
// `last`.
std::size_t position_after(const Standings& standings, std::string_view player, double score,
                           Time at, std::size_t last) {
  const std::optional<std::size_t> now = standings.position(player);
  if (!now) return last;
  const std::optional<Entry> entry = standings.get(player);
  if (entry->score == score && entry->at == at) return *now + 1;
  return *now < last ? last + 1 : last;
}

void read_step(const Standings& standings, CallBuffers& buffers, Step& step) {
  standings.read(step.position, 1, buffers.entries);
  if (buffers.entries.empty()) return;
  step.found = true;
  step.entry = buffers.entries.front();
  const std::size_t id = step.entry.player.copy(step.player.data(), step.player.size());
  step.entry.player = std::string_view(step.player.data(), id);
  if (step.entry.data) {
    const std::size_t bytes = step.entry.data->copy(step.data.data(), step.data.size());
    step.entry.data = std::string_view(step.data.data(), bytes);
  }
}

void set_upvalue(lua_State* L, int upvalue) { lua_replace(L, lua_upvalueindex(upvalue)); }

// Reads the next step. step.found stays false at the end of the board, or if the board is gone.
void take_step(lua_State* L, const BoardRef& self, Step& step) {
  RegistryHandle& boards = *self.boards;
  if (!boards.open()) return;
  CallBuffers& buffers = boards.buffers.borrow(L);
  if (const Standings* standings = find_standings(self)) {
    step.position = static_cast<std::size_t>(lua_tonumber(L, lua_upvalueindex(kEachNext)));
    if (!lua_isnil(L, lua_upvalueindex(kEachPlayer))) {
      step.position = position_after(*standings, Call::string_at(L, lua_upvalueindex(kEachPlayer)),
                                     lua_tonumber(L, lua_upvalueindex(kEachScore)),
                                     static_cast<Time>(lua_tonumber(L, lua_upvalueindex(kEachAt))),
                                     step.position);
    }
    read_step(*standings, buffers, step);
  }
  boards.buffers.give_back(buffers);
}

// () -> entry | nil
int board_each_step(lua_State* L) {
  const auto& self = *static_cast<const BoardRef*>(lua_touserdata(L, lua_upvalueindex(kEachBoard)));
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(kEachBoard));
  refresh_clock(L, self);
  Step step;
  take_step(L, self, step);
  if (!step.found) {
    lua_pushnil(L);
    return 1;
  }
  push(L, step.entry.player);
  set_upvalue(L, kEachPlayer);
  lua_pushnumber(L, static_cast<double>(step.position));
  set_upvalue(L, kEachNext);
  lua_pushnumber(L, step.entry.score);
  set_upvalue(L, kEachScore);
  lua_pushnumber(L, static_cast<double>(step.entry.at));
  set_upvalue(L, kEachAt);
  push_entry(L, step.entry);
  return 1;
}

// board:each([first]) -> iterator over entries
int board_each(lua_State* L) {
  const Call call{L, "each"};
  const BoardRef& self = board_self(call);
  const std::size_t first = call.absent(1) ? 1 : call.position(1);
  standings_of(call, self);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushnumber(L, std::min(static_cast<double>(first - 1), kPositionMax));
  for (int upvalue = kEachPlayer; upvalue <= kEachAt; ++upvalue) lua_pushnil(L);
  lua_pushcclosure(L, guarded<board_each_step>, kEachAt);
  return 1;
}

constexpr std::array kBoardListMethods = {
    luaL_Reg{"top", guarded<board_top>},         luaL_Reg{"bottom", guarded<board_bottom>},
    luaL_Reg{"page", guarded<board_page>},       luaL_Reg{"around", guarded<board_around>},
    luaL_Reg{"between", guarded<board_between>}, luaL_Reg{"among", guarded<board_among>},
    luaL_Reg{"each", guarded<board_each>},
};

}  // namespace

Methods board_list_methods() { return kBoardListMethods; }

}  // namespace laurel
