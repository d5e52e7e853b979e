// boards: opening, dropping and listing boards; tick, flush and close.
#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/tasks.h"
#include "bindings/remote/named_board.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_answer.h"
#include "bindings/values/read_spec.h"
#include "board/spec/spec_change.h"
#include "board/validate.h"

namespace laurel {

namespace {

// ---- boards:board(name [, spec])

// True if an opening was refused because of the name: the spec alone is valid.
bool is_about_name(const Registry& registry, std::string_view name, const SpecChange& spec) {
  const Result<Spec> whole = spec.create();
  if (!check_board_name(name)) return static_cast<bool>(whole);
  if (whole && is_derived(*whole)) return false;  // it may be about the sources
  return spec.remote().empty() && !registry.find(name) && static_cast<bool>(whole);
}

int push_handle(lua_State* L, RegistryHandle& boards, bool remote, BoardHandle handle,
                std::string_view name) {
  if (remote) {
    push_environment_of(L, 1);
    push_remote_board(L, boards, handle, 0, name);
  } else {
    push_board(L, boards, handle, 0, name);
  }
  return 1;
}

[[noreturn]] void raise_sentence(const Call& call, int argument, const Refusal& refusal) {
  call.bad(argument, "%s", refusal.message().data());
}

int open_with_spec(const Call& call, RegistryHandle& boards, std::string_view name) {
  call.table(2);
  read_clock(call, boards);
  CallBuffers& buffers = borrow_buffers(call, boards);
  Registry& registry = registry_of(call, boards);
  Status read = read_spec(call, 2, buffers.spec);
  if (read) read = registry.check_rule(buffers.spec);
  if (!read) {
    boards.buffers.give_back(buffers);
    raise_sentence(call, 2, read.refusal());
  }
  RemoteBoards* const remotes = RemoteBoards::where(registry, name, buffers.spec);
  const Result<BoardHandle> handle =
      remotes != nullptr ? remotes->open(name, buffers.spec) : registry.open(name, buffers.spec);
  const int blamed = !handle && is_about_name(registry, name, buffers.spec) ? 1 : 2;
  boards.buffers.give_back(buffers);
  flush_log(call.L, boards);
  if (!handle) {
    if (handle.refusal().code() != Code::invalid) return refuse(call.L, handle.refusal());
    raise_sentence(call, blamed, handle.refusal());
  }
  return push_handle(call.L, boards, remotes != nullptr, *handle, name);
}

// boards:board(name [, spec]) -> board | nil, reason
int boards_board(lua_State* L) {
  const Call call{L, "board"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view name = call.string(1);
  if (!call.absent(2)) return open_with_spec(call, boards, name);

  const Registry& registry = registry_of(call, boards);
  const RemoteBoards* const remotes = RemoteBoards::of(registry);
  const bool remote = remotes != nullptr && remotes->has(name);
  const std::optional<BoardHandle> handle = remote ? remotes->find(name) : registry.find(name);
  if (!handle) {
    return refuse(L, {Code::unknown, "no board is called \"{}\"", escaped(name, 64)});
  }
  return push_handle(L, boards, remote, *handle, name);
}

// boards:names() -> array of names
int boards_names(lua_State* L) {
  const Call call{L, "names"};
  RegistryHandle& boards = boards_self(call);
  CallBuffers& buffers = borrow_buffers(call, boards);
  buffers.strings = registry_of(call, boards).names();

  push_answer(L, buffers.strings);
  boards.buffers.give_back(buffers);
  return 1;
}

// boards:drop(board or its name) -> boolean | nil, reason; waits if the board is remote
int boards_drop(lua_State* L) {
  const Call call{L, "drop"};
  RegistryHandle& boards = boards_self(call);
  const Result<NamedBoard> board = named_board(call, 1, boards);
  if (!board && board.refusal().code() != Code::unknown) return refuse(L, board.refusal());
  if (board && board->remote) {
    return wait_for(
        call, boards, "boards", board->handle, 0, push_bool_answer, [] { return request::Drop{}; },
        [](RemoteCall&) {});
  }
  const Result<bool> dropped = board ? registry_of(call, boards).drop(board->name) : false;
  flush_log(L, boards);
  if (!dropped && dropped.refusal().code() == Code::invalid) {
    raise_sentence(call, 1, dropped.refusal());
  }
  if (!dropped) return refuse(L, dropped.refusal());
  lua_pushboolean(L, *dropped);
  return 1;
}

// ---- tick, flush and close

// Handlers of season ends may call everything but tick and close.
void check_not_telling(const Call& call, const RegistryHandle& boards) {
  if (!boards.open() || !boards.registry->season_ends().telling()) return;
  luaL_error(call.L, "%s: a handler of a season's end may not call it", call.name);
}

void run_tick(RegistryHandle& boards, Registry& registry, lua_State* L) {
  const Running running(*boards.callbacks, L);
  registry.tick();
}

// boards:tick() -> true
int boards_tick(lua_State* L) {
  const Call call{L, "tick"};
  RegistryHandle& boards = boards_self(call);
  registry_of(call, boards);
  check_not_telling(call, boards);
  read_clock(call, boards);
  run_tick(boards, registry_of(call, boards), L);
  sweep_watches(L, boards);
  if (boards.callbacks->tasks) boards.callbacks->tasks->sweep(L);
  flush_log(L, boards);
  lua_pushboolean(L, 1);
  return 1;
}

int boards_answer(lua_State* L, const Status& status) {
  if (!status) return refuse(L, status.refusal());
  lua_pushboolean(L, 1);
  return 1;
}

// boards:flush() -> true | nil, reason
int boards_flush(lua_State* L) {
  const Call call{L, "flush"};
  RegistryHandle& boards = boards_self(call);
  const Status flushed = registry_of(call, boards).flush();
  flush_log(L, boards);
  return boards_answer(L, flushed);
}

// boards:metrics() -> text
int boards_metrics(lua_State* L) {
  const Call call{L, "metrics"};
  RegistryHandle& boards = boards_self(call);
  read_clock(call, boards);
  CallBuffers& buffers = borrow_buffers(call, boards);
  buffers.strings.assign(1, registry_of(call, boards).metrics());
  flush_log(L, boards);
  push(L, buffers.strings.front());
  boards.buffers.give_back(buffers);
  return 1;
}

// boards:close() -> true | nil, reason
int boards_close(lua_State* L) {
  const Call call{L, "close"};
  RegistryHandle& boards = self_of<RegistryHandle>(call);
  if (boards.registry != nullptr && !boards.owned) {
    return luaL_error(
        L, "close: hosted scripts share the host's boards; only the host can close them");
  }
  if (!boards.open()) return boards_answer(L, Done{});
  check_not_telling(call, boards);
  const Status flushed = boards.registry->close();
  clear_callbacks(L, 1);
  if (Tasks* const tasks = boards.callbacks->tasks.get()) {
    tasks->drop_at(*boards.callbacks);
    tasks->sweep(L);
  }
  flush_log(L, boards);
  return boards_answer(L, flushed);
}

// ---- metamethods

// The finalizer of the handle.
int boards_collect(lua_State* L) {
  auto* boards = find_userdata<RegistryHandle>(L, 1);
  if (boards == nullptr) return 0;
  boards->end();
  flush_log(L, *boards);
  if (boards->registry == nullptr) boards->waiting.reset();
  return 0;
}

int boards_to_string(lua_State* L) {
  const Call call{L, "tostring"};
  const RegistryHandle& boards = self_of<RegistryHandle>(call);
  if (!boards.open()) {
    lua_pushliteral(L, "boards: closed");
    return 1;
  }
  const auto count = static_cast<int>(boards.registry->stats().boards);
  lua_pushfstring(L, count == 1 ? "boards: %d board" : "boards: %d boards", count);
  return 1;
}

constexpr std::array kBoardsMethods = {
    luaL_Reg{"board", guarded<write_method<boards_board>>},
    luaL_Reg{"names", guarded<boards_names>},
    luaL_Reg{"drop", guarded<write_method<boards_drop>>},
    luaL_Reg{"tick", guarded<boards_tick>},
    luaL_Reg{"flush", guarded<boards_flush>},
    luaL_Reg{"metrics", guarded<boards_metrics>},
    luaL_Reg{"close", guarded<boards_close>},
};
constexpr std::array kBoardsMetamethods = {
    luaL_Reg{"__gc", guarded<boards_collect>},
    luaL_Reg{"__tostring", guarded<boards_to_string>},
};

}  // namespace

Methods boards_methods() { return kBoardsMethods; }
Methods boards_metamethods() { return kBoardsMetamethods; }

}  // namespace laurel
