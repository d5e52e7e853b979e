// boards_box.h - what a script holds as `boards` and `board`, and how a call gets from there to
// C++.
//
//   box        the userdata `boards`: owns a registry, or borrows its host's. Boards, live handles
//              and iterators share its environment table, which anchors it.
//   board      a handle in the registry's sense, with the name for messages, and the past season
//              that it reads if it is not the running one. It answers when its board was dropped,
//              its season is not kept any more, its registry closed, or its box collected; it never
//              crashes.
//   now        with a `clock` option the script's function is called once per call that needs to
//              know, before anything is done, so that an error in it leaves nothing half done. Each
//              write needs to know, and each call of a board whose season or window follows it.
//   log        with a `log` option lines wait until the call's work is done, since the function may
//              call anything here.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <lua.hpp>

#include "bindings/borrowed.h"
#include "bindings/lists.h"
#include "bindings/lua_callback.h"
#include "bindings/lua_types.h"
#include "bindings/module.h"
#include "board/registry.h"

namespace laurel {

// Slots of a box's environment table, after kCallbacksSlot.
inline constexpr int kBoxSlot = 2;
inline constexpr int kClockSlot = 3;
inline constexpr int kLogSlot = 4;
inline constexpr int kTasksOfBoxSlot = 5;  // coroutines of tasks that wait here, by task

// Now, as a script's clock said at the last reading.
class ScriptClock final : public Clock {
 public:
  explicit ScriptClock(Time reading) : reading_(reading) {}
  Time now() override { return reading_; }
  void set(Time reading) { reading_ = reading; }

 private:
  Time reading_;
};

// Lines on their way to a script's log function.
struct WaitingLines {
  std::deque<std::pair<Level, std::string>> lines;
  bool delivering = false;
};

struct BoardsBox : Userdata {
  static constexpr Type kType = Type::boards;
  BoardsBox() noexcept : Userdata(kType) {}

  Registry* registry = nullptr;           // null once collected
  std::unique_ptr<Registry> owned;        // null where a host lends its registry
  ScriptClock* clock = nullptr;           // the registry's, where a script is the clock
  std::unique_ptr<WaitingLines> waiting;  // where a script is the log
  std::shared_ptr<CallbackOwner> callbacks;
  Borrowed borrowed;  // begun on a host's registry
  ListsOwner lists;

  bool open() const { return registry != nullptr && !registry->closed(); }
  // Collected: what is left needs no destructor.
  void end();
};

// What handles of boards here and of boards elsewhere (remote_call.h) have.
struct AnyBoardRef : Userdata {
  AnyBoardRef(Type type_in, BoardsBox& box_in, BoardHandle handle_in, std::uint64_t season_in,
              std::size_t name_size_in)
      : Userdata(type_in),
        box(&box_in),
        handle(handle_in),
        season(season_in),
        name_size(name_size_in) {}

  BoardsBox* box;
  BoardHandle handle;
  std::uint64_t season;   // that has ended; 0: the running one, whichever that is
  std::size_t name_size;  // bytes of the name, which follows the struct

  std::string_view name() const { return {reinterpret_cast<const char*>(this + 1), name_size}; }
};

struct BoardRef : AnyBoardRef {
  static constexpr Type kType = Type::board;
  BoardRef(BoardsBox& box_in, BoardHandle handle_in, std::uint64_t season_in,
           std::size_t name_size_in)
      : AnyBoardRef(kType, box_in, handle_in, season_in, name_size_in) {}
};

// Pushes a new box with its environment table; returns it without a registry.
BoardsBox& push_box(lua_State* L, lua_State* main);
// Pushes a board, or one of its past seasons. Expects its box, or another of its boards, at stack
// index 1.
void push_board(lua_State* L, BoardsBox& box, BoardHandle handle, std::uint64_t season,
                std::string_view name);

[[noreturn]] void raise_closed(lua_State* L);
[[noreturn]] void raise_dropped(lua_State* L, std::string_view name);
[[noreturn]] void raise_not_kept(lua_State* L, const BoardRef& self);
// Raises `closed` unless the registry is open.
inline Registry& registry_of(const Call& call, const BoardsBox& box) {
  if (!box.open()) raise_closed(call.L);
  return *box.registry;
}
// Raises `closed` or `dropped` unless the board is there.
inline Board& board_of(const Call& call, const BoardRef& self) {
  Board* board = registry_of(call, *self.box).get(self.handle);
  if (board == nullptr) raise_dropped(call.L, self.name());
  return *board;
}
// What a handle reads: its board, or the past season that it names. Raises likewise, and where the
// season is not kept any more.
inline const Standings& standings_of(const Call& call, const BoardRef& self) {
  const Board& board = board_of(call, self);
  if (self.season == 0) return board;
  const ArchivedSeason* season = board.archived(self.season);
  if (season == nullptr) raise_not_kept(call.L, self);
  return *season;
}
// The same for those who do not raise: null where any of it is gone.
const Standings* find_standings(const BoardRef& self);

// The object that a method is called on, which must be open and there: `closed` and `dropped` come
// before any complaint about arguments.
BoardsBox& boards_self(const Call& call);
const BoardRef& board_self(const Call& call);
// What that handle reads, with a script's clock asked where the board follows it; and its board,
// for calls that need to know the time, whatever board it is. They stand until something is made,
// since that may run a script's finalizer; reading arguments makes nothing.
const Standings& standings_now(const Call& call, const BoardRef& self);
Board& board_after_clock(const Call& call, const BoardRef& self);  // of a script
inline Board& board_now(const Call& call, const BoardRef& self) {
  return self.box->clock == nullptr ? board_of(call, self) : board_after_clock(call, self);
}

// A past season is read-only: closed: season 3 of board "x" has ended.
Refusal ended(const AnyBoardRef& season);
int refuse_ended(const Call& call);  // of the season that it is called on, which must be there
// Waits for the disk, and refuses in place of the answers when the disk does. Expects the box or
// one of its boards at index 1; gives the number of answers.
int commit(lua_State* L, BoardsBox& box, int answers);
// Likewise, where every write waits for the disk.
inline int committed(lua_State* L, BoardsBox& box, int answers) {
  const bool waits = box.registry != nullptr && box.registry->durability() == Durability::always;
  return waits ? commit(L, box, answers) : answers;
}
// A method of boards that writes. REQUIRES: it leaves its object at index 1.
template <lua_CFunction F>
int writing(lua_State* L) {
  const int answers = F(L);
  if (answers < 0) return answers;  // a task that waits
  return committed(L, *find_userdata<BoardsBox>(L, 1), answers);
}
// A method of a board that writes, with the name for messages. On a past season it refuses.
template <FunctionName name, int (*F)(const Call& call, const BoardRef& self)>
int writing(lua_State* L) {
  const Call call{L, name.text};
  const auto& self = self_of<BoardRef>(call);
  if (self.season != 0) return refuse_ended(call);
  return committed(L, *self.box, F(call, self));
}

// Lists to work with; the registry, or the board, is still there afterwards, which a spare's making
// might otherwise have changed.
Lists& borrow_lists(const Call& call, BoardsBox& box);
Lists& borrow_lists(const Call& call, const BoardRef& self);
// What a handle reads, for a call that holds lists: it gives them back before it raises. The clock
// may have ended a season since the last look.
const Standings& standings_of(const Call& call, const BoardRef& self, Lists& lists);
// Raises where the version of a hosted script that these boards were lent to has ended.
void check_in_force(const Call& call, const BoardsBox& box);
// Lets go what ended watches leave behind. The same of index 1 as below.
void sweep_watches(lua_State* L, BoardsBox& box);

// Asks a script's clock. Expects a box or one of its boards at index 1; runs the script's code, so
// nothing that was looked up before still stands.
void ask_clock(lua_State* L, BoardsBox& box);
// What the clock says; for a box that has no registry yet. The same of index 1.
Time read_clock_slot(lua_State* L);
inline void read_clock(const Call& call, BoardsBox& box) {
  if (box.clock != nullptr) ask_clock(call.L, box);
}
// Asks it where the board follows it. The same of index 1.
void look_at_clock(lua_State* L, const BoardRef& self);
// Hands waiting lines to a script's log function. The same of index 1.
void deliver_lines(lua_State* L, BoardsBox& box);
// After the work, before the answer.
inline void settle(lua_State* L, BoardsBox& box) {
  if (box.waiting && !box.waiting->lines.empty()) deliver_lines(L, box);
}

}  // namespace laurel
