// board: iterating over all entries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

#include "base/limits.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_entry.h"

namespace laurel {

namespace {

// ---- local boards

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
int local_each_step(lua_State* L) {
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
int local_each(lua_State* L) {
  const Call call{L, "each"};
  const BoardRef& self = board_self(call);
  const std::size_t first = call.absent(1) ? 1 : call.position(1);
  standings_of(call, self);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushnumber(L, std::min(static_cast<double>(first - 1), kPositionMax));
  for (int upvalue = kEachPlayer; upvalue <= kEachAt; ++upvalue) lua_pushnil(L);
  lua_pushcclosure(L, guarded<local_each_step>, kEachAt);
  return 1;
}

// ---- remote boards

constexpr std::size_t kEachChunk = 100;  // entries per request

// The entries that were read; those from `given` on are not returned yet.
struct Chunk {
  explicit Chunk(std::size_t first) : next(first) {}

  Entries entries;
  std::size_t given = 0;
  std::size_t next;   // position of the next chunk
  bool last = false;  // this is the last chunk
};

// The iterator's upvalues.
constexpr int kRemoteEachBoard = 2;
constexpr int kEachRead = 3;

int collect_chunk(lua_State* L) {
  static_cast<Chunk*>(lua_touserdata(L, 1))->~Chunk();
  return 0;
}

void take_chunk(Chunk& chunk, Listed& listed) {
  chunk.entries = std::move(listed.entries);
  chunk.given = 0;
  chunk.next += chunk.entries.size();
  chunk.last = chunk.entries.size() < kEachChunk;
}

int give_next(lua_State* L, Chunk& chunk) {
  if (chunk.given >= chunk.entries.size()) {
    lua_pushnil(L);
  } else {
    push_entry(L, chunk.entries[chunk.given++]);
  }
  return 1;
}

int push_chunk(lua_State* L, RemoteCall& pending) {
  Chunk& chunk = *static_cast<Chunk*>(pending.place);
  take_chunk(chunk, pending.answer<Listed>());
  return give_next(L, chunk);
}

// () -> entry | nil
int remote_each_step(lua_State* L) {
  const Call call{L, "each"};
  const auto& self =
      *static_cast<const RemoteBoardRef*>(lua_touserdata(L, lua_upvalueindex(kRemoteEachBoard)));
  Chunk& chunk = *static_cast<Chunk*>(lua_touserdata(L, lua_upvalueindex(kEachRead)));
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(kRemoteEachBoard));
  if (chunk.given < chunk.entries.size() || chunk.last || find_remotes(self) == nullptr) {
    return give_next(L, chunk);
  }
  return wait_for(
      call, self, push_chunk,
      [&chunk] {
        return request::Page{chunk.next, kEachChunk};
      },
      [&chunk](RemoteCall& pending) { pending.place = &chunk; });
}

// board:each([first]) -> iterator over entries
int remote_each(lua_State* L) {
  const Call call{L, "each"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t first = call.absent(1) ? 1 : call.position(1);
  if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_newtable(L);
  lua_pushcfunction(L, collect_chunk);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  new (lua_newuserdata(L, sizeof(Chunk))) Chunk(first - 1);
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_pushcclosure(L, guarded<remote_each_step>, kEachRead);
  return 1;
}

constexpr std::array kBoardEachMethods = {
    BoardMethod{"each", guarded<local_each>, guarded<remote_each>},
};

}  // namespace

BoardMethods board_each_methods() { return kBoardEachMethods; }

}  // namespace laurel
