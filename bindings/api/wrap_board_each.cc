// board: iterating over all entries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/limits.h"
#include "bindings/api/board_call.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_answer.h"
#include "board/standings/entry_cursor.h"

namespace laurel {

namespace {

// The iterator's upvalues, after the module.
constexpr int kEachBoard = 2;
constexpr int kEachState = 3;

// The state of an iterator, which its userdata owns; null at the end, and if the userdata was
// collected.
template <typename State>
State*& state_at(lua_State* L, int index) {
  return *static_cast<State**>(lua_touserdata(L, index));
}

template <typename State>
int collect_state(lua_State* L) {
  delete std::exchange(state_at<State>(L, 1), nullptr);
  return 0;
}

// Pushes an iterator over the board at index 1, and returns where its state is to be. Its creation
// may run a finalizer, so the state is made afterwards.
template <typename State, lua_CFunction step>
State*& push_iterator(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_newtable(L);
  lua_pushcfunction(L, collect_state<State>);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  auto& state = *static_cast<State**>(lua_newuserdata(L, sizeof(State*)));
  state = nullptr;
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_pushcclosure(L, guarded<step>, kEachState);
  return state;
}

// Leaves the board at index 1.
template <typename Ref>
const Ref& each_self(lua_State* L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(kEachBoard));
  return *static_cast<const Ref*>(lua_touserdata(L, 1));
}

// ---- local boards

// () -> entry | nil
int local_each_step(lua_State* L) {
  const auto& self = each_self<BoardRef>(L);
  refresh_clock(L, self);
  RegistryHandle& boards = *self.boards;
  CallBuffers& buffers = boards.buffers.borrow(L);
  EntryCursor* const cursor = state_at<EntryCursor>(L, lua_upvalueindex(kEachState));
  Status read = Done{};
  const Standings* const standings = find_standings(self);
  if (cursor != nullptr && standings != nullptr) {
    read = cursor->next(buffers.entries);
    buffers.extras.read_of_board(*standings, buffers.entries);
    buffers.own_entries();
    carry_extras(L, boards, {}, buffers);
  }
  if (read) push_answer(L, FirstEntry{&buffers.entries, &buffers.extras});
  boards.buffers.give_back(buffers);
  return read ? 1 : luaL_error(L, "%s", read.refusal().c_str());
}

// board:each([first]) -> iterator over entries
int local_each(lua_State* L) {
  const Call call{L, "each"};
  const BoardRef& self = board_self(call);
  const std::size_t first = call.absent(1) ? 1 : call.position(1);
  EntryCursor*& cursor = push_iterator<EntryCursor, local_each_step>(L);
  if (const Standings* const standings = find_standings(self)) {
    cursor = new EntryCursor(*standings, first - 1);
  }
  return 1;
}

// ---- remote boards
//
// Entries are read in chunks, by position. Once a script of this server has written to a remote,
// what is left of a chunk is read again, and at the end the iteration begins again, until it finds
// none but visited players.

constexpr std::size_t kEachChunk = 100;  // entries per request
constexpr std::size_t kEachChunkMin = 10;

class RemoteEach {
 public:
  RemoteEach(std::size_t first, std::uint64_t writes)
      : first_(first), next_(first), writes_(writes), began_(writes) {}

  // The next entry that is at hand and was not visited; null: none is at hand.
  const Entry* take(std::uint64_t writes) {
    if (writes != writes_) return nullptr;
    while (given_ < entries_.size()) {
      const Entry& entry = entries_[given_++];
      ++next_;
      if (!visit(entry.player)) continue;
      found_ = true;
      return &entry;
    }
    return nullptr;
  }
  // True at the end; otherwise `request` is to be answered to put().
  bool is_at_end(std::uint64_t writes) {
    const bool changed = std::exchange(writes_, writes) != writes;
    given_ = entries_.size();
    n_ = changed ? kEachChunkMin : std::min(2 * n_, kEachChunk);
    if (!last_ || changed) return false;
    if (writes == began_ || !found_) return true;
    began_ = writes;
    next_ = first_;
    found_ = false;
    return false;
  }
  request::Page request() const { return {next_, n_}; }
  void put(Entries entries) {
    entries_ = std::move(entries);
    given_ = 0;
    last_ = entries_.size() < n_;
  }
  // A write would need the ids of visited players, which are not kept.
  bool is_lost(std::uint64_t writes) const { return lost_ids_ && writes != began_; }

 private:
  bool visit(std::string_view player) {
    if (lost_ids_) return true;
    if (visited_.size() < kCursorIdsMax) return visited_.emplace(player).second;
    visited_.clear();
    lost_ids_ = true;
    return true;
  }

  std::size_t first_;
  std::size_t next_;  // position of the next entry
  std::size_t n_ = kEachChunk / 2;
  std::uint64_t writes_;  // when the chunk was read
  std::uint64_t began_;   // when the iteration began
  Entries entries_;
  std::size_t given_ = 0;
  bool last_ = false;   // the chunk was the last one
  bool found_ = false;  // since the iteration began
  std::unordered_set<std::string> visited_;
  bool lost_ids_ = false;
};

// An iterator over a function that returns false if it is to be called again.
constexpr std::string_view kRepeat =
    "local step = ... "
    "return function() "
    "local entry repeat entry = step() until entry ~= false return entry "
    "end";

int push_chunk(lua_State* L, RemoteCall& pending) {
  static_cast<RemoteEach*>(pending.place)->put(std::move(pending.answer<Listed>().entries));
  lua_pushboolean(L, 0);
  return 1;
}

// () -> entry | nil | false: to be called again
int remote_each_step(lua_State* L) {
  const Call call{L, "each"};
  const auto& self = each_self<RemoteBoardRef>(L);
  RemoteEach* const each = state_at<RemoteEach>(L, lua_upvalueindex(kEachState));
  if (each == nullptr || find_remotes(self) == nullptr) {
    lua_pushnil(L);
    return 1;
  }
  const std::uint64_t writes = self.boards->remote_writes;
  if (each->is_lost(writes)) {
    return luaL_error(L,
                      "unavailable: a loop that writes visits at most %d players of a remote board",
                      static_cast<int>(kCursorIdsMax));
  }
  if (const Entry* const entry = each->take(writes)) {
    CallBuffers& buffers = self.boards->buffers.borrow(L);
    buffers.entries.add() = *entry;
    buffers.own_entries();
    buffers.extras.columns = columns_of(self);
    carry_extras(L, *self.boards, {}, buffers);
    const int answers = push_answer(L, FirstEntry{&buffers.entries, &buffers.extras});
    self.boards->buffers.give_back(buffers);
    return answers;
  }
  if (each->is_at_end(writes)) {
    lua_pushnil(L);
    return 1;
  }
  return wait_for(
      call, self, push_chunk, [each] { return each->request(); },
      [each](RemoteCall& pending) { pending.place = each; });
}

// board:each([first]) -> iterator over entries
int remote_each(lua_State* L) {
  const Call call{L, "each"};
  const RemoteBoardRef& self = remote_self(call);
  const std::size_t first = call.absent(1) ? 1 : call.position(1);
  if (const Status may = may_wait(call, self); !may) return refuse(L, may.refusal());
  if (load_text(L, kRepeat, "=each") != 0) return lua_error(L);
  RemoteEach*& each = push_iterator<RemoteEach, remote_each_step>(L);
  each = new RemoteEach(first - 1, self.boards->remote_writes);
  lua_call(L, 1, 1);
  return 1;
}

constexpr std::array kBoardEachMethods = {
    BoardMethod{"each", guarded<local_each>, guarded<remote_each>},
};

}  // namespace

BoardMethods board_each_methods() { return kBoardEachMethods; }

}  // namespace laurel
