#include "bindings/handle/registry_handle.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <new>

#include "base/text.h"
#include "bindings/lua/tasks.h"
#include "board/segments/board_cohorts.h"

namespace laurel {

bool HandleTasks::is_open() const { return boards_.open(); }
const Log& HandleTasks::log() const { return boards_.registry->log(); }
bool HandleTasks::has_lines() const { return boards_.waiting && !boards_.waiting->lines.empty(); }

void HandleTasks::deliver(lua_State* L) {
  lua_settop(L, 0);
  push_environment(L, *boards_.callbacks);
  if (!lua_istable(L, 1)) return;
  lua_rawgeti(L, 1, kRegistrySlot);
  lua_remove(L, 1);
  deliver_log(L, boards_);
}

void RegistryHandle::end() {
  if (registry != nullptr &&
      callbacks->running != nullptr) {  // __gc called by a script, by debug.getmetatable
    (void)registry->close();
    return;
  }
  if (callbacks) {
    callbacks->userdata = nullptr;
    if (callbacks->tasks) {
      callbacks->tasks->remove_boards(task_boards);
      callbacks->tasks->drop_at(*callbacks);
    }
  }
  resources.end(owned ? nullptr : registry, nullptr);
  registry = nullptr;
  clock = nullptr;
  owned.reset();
  callbacks.reset();
  buffers.end();
}

RegistryHandle& push_registry_handle(lua_State* L, lua_State* main) {
  lua_newtable(L);
  auto* boards = new (push_userdata(L, Type::boards, sizeof(RegistryHandle))) RegistryHandle;
  adopt_environment(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, kRegistrySlot);
  lua_remove(L, -2);
  boards->callbacks = make_callback_owner(L, main, boards);
  return *boards;
}

namespace {

void make_board_ref(void* memory, RegistryHandle& boards, BoardHandle handle, std::uint64_t season,
                    std::string_view name) {
  auto* board = new (memory) BoardRef(boards, handle, season, name.size());
  std::copy_n(name.data(), name.size(), reinterpret_cast<char*>(board + 1));
}

}  // namespace

void push_board(lua_State* L, RegistryHandle& boards, BoardHandle handle, std::uint64_t season,
                std::string_view name) {
  void* const memory = push_userdata(L, Type::board, sizeof(BoardRef) + name.size());
  make_board_ref(memory, boards, handle, season, name);
  push_environment_of(L, 1);
  set_environment_of(L, -2);
}

namespace {

// A segment, or a cohort of the season.
BoardRef& push_named_part(lua_State* L, RegistryHandle& boards, BoardHandle handle,
                          std::uint64_t season, std::string_view board, std::string_view attribute,
                          std::string_view value) {
  const std::size_t size = board.size() + 1 + attribute.size() + 1 + value.size();
  void* const memory = push_userdata(L, Type::board, sizeof(BoardRef) + size);
  auto* part = new (memory) BoardRef(boards, handle, season, size);
  part->board_size = static_cast<std::uint32_t>(board.size());
  part->attribute_size = static_cast<std::uint32_t>(attribute.size());
  char* place = reinterpret_cast<char*>(part + 1);
  for (const std::string_view text :
       {board, std::string_view(":"), attribute, std::string_view("="), value}) {
    place = std::copy_n(text.data(), text.size(), place);
  }
  push_environment_of(L, 1);
  set_environment_of(L, -2);
  return *part;
}

}  // namespace

void push_segment(lua_State* L, RegistryHandle& boards, BoardHandle handle, std::string_view board,
                  std::string_view attribute, std::string_view value) {
  push_named_part(L, boards, handle, kSegment, board, attribute, value);
}

void push_cohort(lua_State* L, RegistryHandle& boards, BoardHandle handle, std::uint64_t season,
                 std::string_view board, std::uint32_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  push_named_part(L, boards, handle, season == 0 ? kSegment : season, board, "cohort", text)
      .cohort = number;
}

void push_past_season(lua_State* L, RegistryHandle& boards, BoardHandle handle,
                      std::uint64_t season, std::string_view name) {
  void* const memory = push_userdata_of_module(L, Type::board, sizeof(BoardRef) + name.size());
  make_board_ref(memory, boards, handle, season, name);
  lua_insert(L, -2);
  set_environment_of(L, -2);
}

void raise_closed(lua_State* L) {
  luaL_error(L, "closed: these boards are closed");
  std::abort();  // luaL_error does not return
}

RegistryHandle& boards_self(const Call& call) {
  auto& boards = self_of<RegistryHandle>(call);
  registry_of(call, boards);
  return boards;
}

namespace {

// True if a script's clock decides when the board's season ends or its window moves.
bool follows_script(const BoardRef& self) {
  if (self.boards->clock == nullptr || !self.boards->open()) return false;
  const Board* board = self.boards->registry->get(self.handle);
  return board != nullptr && board->follows_clock();
}

}  // namespace

// The script's clock function may drop the board or close the registry, and its reading may trim
// the oldest season. So the standings are looked up again afterwards.
const Standings& resolve_standings(const Call& call, const BoardRef& self) {
  const Standings& standings = standings_of(call, self);
  if (self.boards->clock == nullptr) return standings;
  refresh_clock(call.L, self);
  return standings_of(call, self);
}

const BoardRef& board_self(const Call& call) {
  const auto& self = self_of<BoardRef>(call);
  resolve_standings(call, self);
  return self;
}

Board& refresh_clock_and_resolve(const Call& call, const BoardRef& self) {
  board_of(call, self);  // raises before the clock function runs
  ask_clock(call.L, *self.boards);
  return board_of(call, self);
}

void refresh_clock(lua_State* L, const BoardRef& self) {
  if (follows_script(self)) ask_clock(L, *self.boards);
}

const Standings* find_part(const Board& board, const BoardRef& self) {
  if (self.cohort != 0) {
    const auto cohorts = board.cohorts(self.is_past() ? self.season : 0);
    return cohorts ? &(*cohorts)->board(self.cohort) : nullptr;
  }
  if (self.season != kSegment) return board.archived(self.season);
  const Result<const Standings*> segment = board.segment(self.attribute(), self.value());
  return segment ? *segment : nullptr;
}

const Standings* find_standings(const BoardRef& self) {
  if (!self.boards->open()) return nullptr;
  const Board* board = self.boards->registry->get(self.handle);
  if (board == nullptr || self.season == 0) return board;
  return find_part(*board, self);
}

std::optional<SegmentName> segment_of(const AnyBoardRef& self) {
  if (self.season != kSegment) return std::nullopt;
  if (self.cohort != 0) return cohort_name(self.cohort);
  return SegmentName{std::string(self.attribute()), std::string(self.value())};
}

const char* kind_of_part(const AnyBoardRef& part) {
  return part.cohort != 0 ? "cohort" : "segment";
}

Refusal read_only(const AnyBoardRef& part) {
  if (part.season == kSegment) {
    return {Code::unsupported, "\"{}\" is a {} of a board: it is read only",
            escaped(part.name(), 64), kind_of_part(part)};
  }
  return {Code::closed, "season {} of board \"{}\" has ended", part.season,
          escaped(part.name(), 64)};
}

int refuse_read_only(const Call& call) { return refuse(call.L, read_only(board_self(call))); }

int commit(lua_State* L, RegistryHandle& boards, int answers) {
  if (!boards.open()) return answers;
  const Status kept = boards.registry->commit();
  flush_log(L, boards);
  return kept ? answers : refuse(L, kept.refusal());
}

CallBuffers& borrow_buffers(const Call& call, RegistryHandle& boards) {
  registry_of(call, boards);
  CallBuffers& buffers = boards.buffers.borrow(call.L);
  if (!boards.open()) {
    boards.buffers.give_back(buffers);
    registry_of(call, boards);
  }
  return buffers;
}

CallBuffers& borrow_buffers(const Call& call, const BoardRef& self) {
  standings_of(call, self);
  RegistryHandle& boards = *self.boards;
  CallBuffers& buffers = boards.buffers.borrow(call.L);
  if (find_standings(self) == nullptr) {
    boards.buffers.give_back(buffers);
    standings_of(call, self);
  }
  return buffers;
}

const Standings& standings_of(const Call& call, const BoardRef& self, CallBuffers& buffers) {
  const Standings* standings = find_standings(self);
  if (standings != nullptr) return *standings;
  self.boards->buffers.give_back(buffers);
  return standings_of(call, self);
}

void check_in_force(const Call& call, const RegistryHandle& boards) {
  if (!boards.resources.ended()) return;
  luaL_error(call.L, "%s: the script that these boards were lent to was replaced or ended",
             call.name);
}

void sweep_watches(lua_State* L, RegistryHandle& boards) {
  const std::vector<CallbackKey>& ended = boards.callbacks->ended;
  if (ended.empty()) return;
  boards.resources.forget(ended);
  sweep_callbacks(L, 1, *boards.callbacks);
}

void raise_dropped(lua_State* L, std::string_view name) {
  const ShortText quoted = shown(name);
  luaL_error(L, "dropped: board \"%s\" was dropped", quoted.text);
  std::abort();  // luaL_error does not return
}

void raise_not_kept(lua_State* L, const BoardRef& self) {
  const ShortText quoted = shown(self.name());
  if (self.season == kSegment) {
    luaL_error(L, "dropped: the %ss of \"%s\" were taken off", kind_of_part(self), quoted.text);
  }
  luaL_error(L, "dropped: season %s of board \"%s\" is no longer kept",
             number_text(static_cast<double>(self.season)).text, quoted.text);
  std::abort();  // luaL_error does not return
}

void ask_clock(lua_State* L, RegistryHandle& boards) {
  const Time now = read_clock_slot(L);
  if (boards.clock != nullptr) boards.clock->set(now);
}

Time read_clock_slot(lua_State* L) {
  push_environment_of(L, 1);
  lua_rawgeti(L, -1, kClockSlot);
  lua_call(L, 0, 1);
  const std::optional<Time> now =
      lua_type(L, -1) == LUA_TNUMBER ? time_from_seconds(lua_tonumber(L, -1)) : std::nullopt;
  if (!now) {
    if (lua_type(L, -1) == LUA_TNUMBER) {
      luaL_error(L,
                 "the clock of these boards returned %s; it must return Unix seconds within "
                 "+-2^33",
                 number_text(lua_tonumber(L, -1)).text);
    }
    luaL_error(L, "the clock of these boards returned a %s; it must return Unix seconds",
               type_name(L, -1));
  }
  lua_pop(L, 2);
  return *now;
}

void deliver_log(lua_State* L, RegistryHandle& boards) {
  if (boards.waiting->delivering) return;
  boards.waiting->delivering = true;
  // Only the lines that are buffered now: a log function may itself add lines, without end.
  for (std::size_t left = boards.waiting->lines.size(); left > 0; --left) {
    push_environment_of(L, 1);
    lua_rawgeti(L, -1, kLogSlot);
    push(L, word(boards.waiting->lines.front().first));
    push(L, boards.waiting->lines.front().second);
    boards.waiting->lines.pop_front();
    if (lua_pcall(L, 2, 0, 0) != 0) {
      log_to_stderr(Level::error, "in the log function: " + error_text(L, -1));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  boards.waiting->delivering = false;
}

}  // namespace laurel
