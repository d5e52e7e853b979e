#include "bindings/boards_box.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/text.h"
#include "bindings/tasks.h"

namespace laurel {

void BoardsBox::end() {
  if (registry != nullptr &&
      callbacks->running != nullptr) {  // __gc called by a script, by debug.getmetatable
    (void)registry->close();
    return;
  }
  if (callbacks) {
    callbacks->userdata = nullptr;
    if (callbacks->tasks) {
      callbacks->tasks->remove_boards(*this);
      callbacks->tasks->drop_at(*callbacks);
    }
  }
  borrowed.end(owned ? nullptr : registry, nullptr);
  registry = nullptr;
  clock = nullptr;
  owned.reset();
  callbacks.reset();
  lists.end();
}

BoardsBox& push_box(lua_State* L, lua_State* main) {
  lua_newtable(L);
  auto* box = new (push_userdata(L, Type::boards, sizeof(BoardsBox))) BoardsBox;
  adopt_environment(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, kBoxSlot);
  lua_remove(L, -2);
  box->callbacks = make_callback_owner(L, main, box);
  return *box;
}

void push_board(lua_State* L, BoardsBox& box, BoardHandle handle, std::uint64_t season,
                std::string_view name) {
  void* memory = push_userdata(L, Type::board, sizeof(BoardRef) + name.size());
  auto* board = new (memory) BoardRef(box, handle, season, name.size());
  std::copy_n(name.data(), name.size(), reinterpret_cast<char*>(board + 1));
  lua_getfenv(L, 1);
  lua_setfenv(L, -2);
}

void raise_closed(lua_State* L) {
  luaL_error(L, "closed: these boards are closed");
  std::abort();  // luaL_error does not return
}

BoardsBox& boards_self(const Call& call) {
  auto& box = self_of<BoardsBox>(call);
  registry_of(call, box);
  return box;
}

namespace {

// True if a script's clock decides when the board's season ends or its window moves.
bool follows_script(const BoardRef& self) {
  if (self.box->clock == nullptr || !self.box->open()) return false;
  const Board* board = self.box->registry->get(self.handle);
  return board != nullptr && board->follows_clock();
}

}  // namespace

// The script's clock function may drop the board or close the registry, and its reading may trim
// the oldest season. So the standings are looked up again afterwards.
const Standings& standings_now(const Call& call, const BoardRef& self) {
  const Standings& standings = standings_of(call, self);
  if (self.box->clock == nullptr) return standings;
  look_at_clock(call.L, self);
  return standings_of(call, self);
}

const BoardRef& board_self(const Call& call) {
  const auto& self = self_of<BoardRef>(call);
  standings_now(call, self);
  return self;
}

Board& board_after_clock(const Call& call, const BoardRef& self) {
  board_of(call, self);  // raises before the clock function runs
  ask_clock(call.L, *self.box);
  return board_of(call, self);
}

void look_at_clock(lua_State* L, const BoardRef& self) {
  if (follows_script(self)) ask_clock(L, *self.box);
}

const Standings* find_standings(const BoardRef& self) {
  if (!self.box->open()) return nullptr;
  const Board* board = self.box->registry->get(self.handle);
  if (board == nullptr || self.season == 0) return board;
  return board->archived(self.season);
}

Refusal ended(const AnyBoardRef& season) {
  return {Code::closed, "season {} of board \"{}\" has ended", season.season,
          escaped(season.name(), 64)};
}

int refuse_ended(const Call& call) { return refuse(call.L, ended(board_self(call))); }

int commit(lua_State* L, BoardsBox& box, int answers) {
  if (!box.open()) return answers;
  const Status kept = box.registry->commit();
  settle(L, box);
  return kept ? answers : refuse(L, kept.refusal());
}

Lists& borrow_lists(const Call& call, BoardsBox& box) {
  registry_of(call, box);
  Lists& lists = box.lists.borrow(call.L);
  if (!box.open()) {
    box.lists.give_back(lists);
    registry_of(call, box);
  }
  return lists;
}

Lists& borrow_lists(const Call& call, const BoardRef& self) {
  standings_of(call, self);
  BoardsBox& box = *self.box;
  Lists& lists = box.lists.borrow(call.L);
  if (find_standings(self) == nullptr) {
    box.lists.give_back(lists);
    standings_of(call, self);
  }
  return lists;
}

const Standings& standings_of(const Call& call, const BoardRef& self, Lists& lists) {
  const Standings* standings = find_standings(self);
  if (standings != nullptr) return *standings;
  self.box->lists.give_back(lists);
  return standings_of(call, self);
}

void check_in_force(const Call& call, const BoardsBox& box) {
  if (!box.borrowed.ended()) return;
  luaL_error(call.L, "%s: the script that these boards were lent to was replaced or ended",
             call.name);
}

void sweep_watches(lua_State* L, BoardsBox& box) {
  const std::vector<CallbackKey>& ended = box.callbacks->ended;
  if (ended.empty()) return;
  box.borrowed.forget(ended);
  sweep_callbacks(L, 1, *box.callbacks);
}

void raise_dropped(lua_State* L, std::string_view name) {
  const ShortText quoted = shown(name);
  luaL_error(L, "dropped: board \"%s\" was dropped", quoted.text);
  std::abort();  // luaL_error does not return
}

void raise_not_kept(lua_State* L, const BoardRef& self) {
  const ShortText quoted = shown(self.name());
  luaL_error(L, "dropped: season %f of board \"%s\" is not kept any more",
             static_cast<double>(self.season), quoted.text);
  std::abort();  // luaL_error does not return
}

void ask_clock(lua_State* L, BoardsBox& box) {
  const Time now = read_clock_slot(L);
  if (box.clock != nullptr) box.clock->set(now);
}

Time read_clock_slot(lua_State* L) {
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, kClockSlot);
  lua_call(L, 0, 1);
  const std::optional<Time> now =
      lua_type(L, -1) == LUA_TNUMBER ? time_from_seconds(lua_tonumber(L, -1)) : std::nullopt;
  if (!now) {
    if (lua_type(L, -1) == LUA_TNUMBER) {
      luaL_error(L,
                 "the clock of these boards returned %f; it must return Unix seconds within "
                 "+-2^33",
                 lua_tonumber(L, -1));
    }
    luaL_error(L, "the clock of these boards returned a %s; it must return Unix seconds",
               luaL_typename(L, -1));
  }
  lua_pop(L, 2);
  return *now;
}

void deliver_lines(lua_State* L, BoardsBox& box) {
  if (box.waiting->delivering) return;
  box.waiting->delivering = true;
  // Only the lines that are buffered now: a log function may itself add lines, without end.
  for (std::size_t left = box.waiting->lines.size(); left > 0; --left) {
    lua_getfenv(L, 1);
    lua_rawgeti(L, -1, kLogSlot);
    push(L, word(box.waiting->lines.front().first));
    push(L, box.waiting->lines.front().second);
    box.waiting->lines.pop_front();
    if (lua_pcall(L, 2, 0, 0) != 0) {
      log_to_stderr(Level::error, "in the log function: " + error_text(L, -1));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  box.waiting->delivering = false;
}

}  // namespace laurel
