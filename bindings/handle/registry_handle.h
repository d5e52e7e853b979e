// registry_handle.h - what a script holds as `boards` and `board`, and how a call gets from Lua
// to C++.
//
//   boards     the userdata: a handle that owns a registry, or borrows the registry of a host.
//              Boards, live handles and iterators share its environment table, which anchors it.
//   board      a handle of the registry, with the name for messages, and the part of the board
//              that it reads, if any: a past season, a segment of the running one, or a cohort.
//              Parts are read only. Using it stays safe after its board was dropped, its season was
//              trimmed, its segments or cohorts were taken off, its registry closed or `boards`
//              collected: the call raises.
//   now        with a `clock` option, a call that needs the time calls the script's function once,
//              before it changes anything, so that an error in the function leaves nothing half
//              done. Each write needs the time, and so does each call of a board whose season or
//              window follows the clock.
//   log        with a `log` option, lines are buffered until the call's work is done, since the
//              log function may call any method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lua.hpp>

#include "bindings/handle/script_resources.h"
#include "bindings/lua/callback.h"
#include "bindings/lua/tasks.h"
#include "bindings/lua/userdata.h"
#include "bindings/values/call_buffers.h"
#include "registry/registry.h"

namespace laurel {

// Slots of a handle's environment table, besides kCallbacksSlot and kWaitingTasksSlot.
inline constexpr int kRegistrySlot = 2;
inline constexpr int kClockSlot = 3;
inline constexpr int kLogSlot = 4;

// Returns the last reading of a script's clock.
class ScriptClock final : public Clock {
 public:
  explicit ScriptClock(Time reading) : reading_(reading) {}
  Time now() override { return reading_; }
  void set(Time reading) { reading_ = reading; }

 private:
  Time reading_;
};

// Buffered lines for a script's log function.
struct BufferedLines {
  std::deque<std::pair<Level, std::string>> lines;
  bool delivering = false;
};

struct RegistryHandle;

// What tasks see of a handle's boards.
class HandleTasks final : public TaskBoards {
 public:
  explicit HandleTasks(RegistryHandle& boards) : boards_(boards) {}
  bool is_open() const override;
  const Log& log() const override;
  bool has_lines() const override;
  void deliver(lua_State* L) override;

 private:
  RegistryHandle& boards_;
};

struct RegistryHandle : Userdata {
  static constexpr Type kType = Type::boards;
  RegistryHandle() noexcept : Userdata(kType) {}

  Registry* registry = nullptr;     // null once collected
  std::unique_ptr<Registry> owned;  // null if a host lends its registry
  ScriptClock* clock = nullptr;     // the registry's clock, if a script function is the clock
  std::unique_ptr<BufferedLines> waiting;  // set if a script function is the log
  std::shared_ptr<CallbackOwner> callbacks;
  HandleTasks task_boards{*this};
  ScriptResources resources;  // watches and channels that scripts started on a host's registry
  CallBufferPool buffers;
  std::uint64_t remote_writes = 0;  // calls of scripts that write to remote boards

  bool open() const { return registry != nullptr && !registry->closed(); }
  // Call when the handle is collected: afterwards it needs no destructor, except `waiting`.
  void end();
};

// `season` of a handle that reads a segment or cohort of the running season.
inline constexpr std::uint64_t kSegment = UINT64_MAX;

// The common part of the handles of local and remote boards (remote_call.h).
struct AnyBoardRef : Userdata {
  AnyBoardRef(Type type_in, RegistryHandle& boards_in, BoardHandle handle_in,
              std::uint64_t season_in, std::size_t name_size_in)
      : Userdata(type_in),
        boards(&boards_in),
        handle(handle_in),
        season(season_in),
        name_size(name_size_in) {}

  RegistryHandle* boards;
  BoardHandle handle;
  std::uint64_t season;   // a past season, 0 for the running season, or kSegment
  std::size_t name_size;  // bytes of the name, which follows the struct

  // A segment's name is BOARD:ATTRIBUTE=VALUE, a cohort's BOARD:cohort=NUMBER. These are sizes of
  // its parts.
  std::uint32_t board_size = 0;
  std::uint32_t attribute_size = 0;
  std::uint32_t cohort = 0;  // its number; 0: it reads none

  bool is_past() const { return season != 0 && season != kSegment; }
  std::string_view attribute() const { return name().substr(board_size + 1, attribute_size); }
  std::string_view value() const { return name().substr(board_size + 1 + attribute_size + 1); }
  std::string_view name() const { return {reinterpret_cast<const char*>(this + 1), name_size}; }
};

struct BoardRef : AnyBoardRef {
  static constexpr Type kType = Type::board;
  BoardRef(RegistryHandle& boards_in, BoardHandle handle_in, std::uint64_t season_in,
           std::size_t name_size_in)
      : AnyBoardRef(kType, boards_in, handle_in, season_in, name_size_in) {}
};

// Pushes a new handle with its environment table; returns it without a registry.
RegistryHandle& push_registry_handle(lua_State* L, lua_State* main);
// Pushes a board, or one of its past seasons. Expects its handle, or another of its boards, at
// stack index 1.
void push_board(lua_State* L, RegistryHandle& boards, BoardHandle handle, std::uint64_t season,
                std::string_view name);

// Pushes a segment of a board, as push_board does. The names are as in a valid segment.
void push_segment(lua_State* L, RegistryHandle& boards, BoardHandle handle, std::string_view board,
                  std::string_view attribute, std::string_view value);

// Pushes a cohort of a board, as push_board does: of a past season, or of the running one, 0.
void push_cohort(lua_State* L, RegistryHandle& boards, BoardHandle handle, std::uint64_t season,
                 std::string_view board, std::uint32_t number);

// As push_board, for callbacks. Expects the environment table of the boards on top of the stack,
// and pops it.
void push_past_season(lua_State* L, RegistryHandle& boards, BoardHandle handle,
                      std::uint64_t season, std::string_view name);

[[noreturn]] void raise_closed(lua_State* L);
[[noreturn]] void raise_dropped(lua_State* L, std::string_view name);
// The past season, segment or cohort that a handle reads is gone.
[[noreturn]] void raise_not_kept(lua_State* L, const BoardRef& self);
// Raises `closed` unless the registry is open.
inline Registry& registry_of(const Call& call, const RegistryHandle& boards) {
  if (!boards.open()) raise_closed(call.L);
  return *boards.registry;
}
// Raises `closed` or `dropped` unless the board exists.
[[gnu::always_inline]] inline Board& board_of(const Call& call, const BoardRef& self) {
  Board* board = registry_of(call, *self.boards).get(self.handle);
  if (board == nullptr) raise_dropped(call.L, self.name());
  return *board;
}
// The past season, segment or cohort of the board that a handle reads; null if it is gone.
const Standings* find_part(const Board& board, const BoardRef& self);
// Returns what a handle reads: its board, or the part that it names. Raises as board_of does, and
// raises `dropped` if the season was trimmed, or the segments or cohorts were taken off.
inline const Standings& standings_of(const Call& call, const BoardRef& self) {
  const Board& board = board_of(call, self);
  if (self.season == 0) return board;
  const Standings* part = find_part(board, self);
  if (part == nullptr) raise_not_kept(call.L, self);
  return *part;
}
// As standings_of, but returns null instead of raising.
const Standings* find_standings(const BoardRef& self);

// Returns the object that a method is called on. Raises `closed` or `dropped`; call it before
// arguments are checked.
RegistryHandle& boards_self(const Call& call);
const BoardRef& board_self(const Call& call);
// resolve_standings reads a script's clock if the board follows it, then returns what the handle
// reads. resolve_board reads a script's clock always, then returns the board. The references are
// invalidated by any Lua allocation, since it may run a finalizer. Reading arguments does not
// allocate.
const Standings& resolve_standings(const Call& call, const BoardRef& self);
// REQUIRES: a script is the clock.
Board& refresh_clock_and_resolve(const Call& call, const BoardRef& self);
inline Board& resolve_board(const Call& call, const BoardRef& self) {
  return self.boards->clock == nullptr ? board_of(call, self)
                                       : refresh_clock_and_resolve(call, self);
}

// The segment or cohort of the running season that a handle reads, if any.
std::optional<SegmentName> segment_of(const AnyBoardRef& self);
// What the handle reads: "segment" or "cohort".
const char* kind_of_part(const AnyBoardRef& part);
// The refusal of a write to a part of a board. closed: season 3 of board "x" has ended;
// unsupported: "x:clan=reds" is a segment.
Refusal read_only(const AnyBoardRef& part);
int refuse_read_only(const Call& call);  // refuses for the part of self; raises if it is gone
// Commits and waits for the disk. Returns the number of answers; if the commit fails, the refusal
// replaces them. Expects the handle or one of its boards at index 1.
int commit(lua_State* L, RegistryHandle& boards, int answers);
// Calls commit() if the durability is `always`.
inline int committed(lua_State* L, RegistryHandle& boards, int answers) {
  const bool waits =
      boards.registry != nullptr && boards.registry->durability() == Durability::always;
  return waits ? commit(L, boards, answers) : answers;
}
// Wraps a method of `boards` that writes. REQUIRES: F leaves its object at index 1.
template <lua_CFunction F>
int write_method(lua_State* L) {
  const int answers = F(L);
  if (answers < 0) return answers;  // a task that waits
  return committed(L, *find_userdata<RegistryHandle>(L, 1), answers);
}
// Wraps a method of a board that writes; `name` is for messages. Refuses on a part of a board.
template <FunctionName name, int (*F)(const Call& call, const BoardRef& self)>
int write_method(lua_State* L) {
  const Call call{L, name.text};
  const auto& self = self_of<BoardRef>(call);
  if (self.season != 0) return refuse_read_only(call);
  return committed(L, *self.boards, F(call, self));
}

// Borrows lists. Making a spare may run a finalizer that closes the registry or drops the board:
// raises if so, after it gave the lists back.
CallBuffers& borrow_buffers(const Call& call, RegistryHandle& boards);
CallBuffers& borrow_buffers(const Call& call, const BoardRef& self);
// As standings_of, for a call that holds lists: gives them back before it raises. The clock may
// have ended a season since the last check.
const Standings& standings_of(const Call& call, const BoardRef& self, CallBuffers& buffers);
// Raises if the version of a hosted script that these boards were lent to has ended.
void check_in_force(const Call& call, const RegistryHandle& boards);
// Releases the callbacks of ended watches. Expects the handle or one of its boards at index 1.
void sweep_watches(lua_State* L, RegistryHandle& boards);

// Reads a script's clock. Runs the script's code, which invalidates all references to boards and
// standings. Expects a handle or one of its boards at index 1, as all functions below do.
void ask_clock(lua_State* L, RegistryHandle& boards);
// Calls the clock function and returns the time; for a handle that has no registry yet.
Time read_clock_slot(lua_State* L);
inline void read_clock(const Call& call, RegistryHandle& boards) {
  if (boards.clock != nullptr) ask_clock(call.L, boards);
}
// Reads the clock if the board follows it.
void refresh_clock(lua_State* L, const BoardRef& self);
// Passes buffered lines to the script's log function.
void deliver_log(lua_State* L, RegistryHandle& boards);
// Delivers buffered lines, if any. Call it after the work, before the answer is pushed.
inline void flush_log(lua_State* L, RegistryHandle& boards) {
  if (boards.waiting && !boards.waiting->lines.empty()) deliver_log(L, boards);
}

}  // namespace laurel
