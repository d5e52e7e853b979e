// boards: handlers that hear of every season that ended.
#include <array>

#include "base/text.h"
#include "bindings/api/stop_function.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/table.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/call_buffers.h"

namespace laurel {

namespace {

// ---- calling a handler

struct ToldSeason {
  const EndedSeason* ended;
  RegistryHandle* boards;
};

// Sets `standings` in the table on top of the stack.
void set_standings(lua_State* L, const EndedSeason& ended, RegistryHandle& boards) {
  const RemoteBoards* const remotes = RemoteBoards::of(*boards.registry);
  const auto local = boards.registry->find(ended.board);
  const auto remote = remotes != nullptr ? remotes->find(ended.board) : std::nullopt;
  if (!local && !remote) return;
  push_environment(L, *boards.callbacks);
  if (local) {
    push_past_season(L, boards, *local, ended.season.number, ended.board);
  } else {
    push_remote_board(L, boards, *remote, ended.season.number, ended.board);
  }
  lua_setfield(L, -2, "standings");
}

int push_ended_season(lua_State* L, const void* what) {
  const auto& [ended, boards] = *static_cast<const ToldSeason*>(what);
  lua_createtable(L, 0, 7);
  set_text(L, "id", ended->id);
  set_text(L, "board", ended->board);
  set_number(L, "season", static_cast<double>(ended->season.number));
  set_time(L, "started", ended->season.started);
  set_optional_time(L, "ended", ended->season.ended);
  set_number(L, "size", static_cast<double>(ended->size));
  set_standings(L, *ended, *boards);
  return 1;
}

// Calls the handler for the season of a remote board, in a task: reading it waits.
Hearing tell_in_task(const Callback& callback, const ToldSeason& told, const std::string& title,
                     const Log& log, std::string& error) {
  struct Ended {
    Hearing hearing = Hearing::waits;  // until it has ended
    std::string error;
    bool waited = false;
  };
  const auto outcome = std::make_shared<Ended>();
  const auto on_end = [outcome, done = told.ended->done](const std::string* failure) {
    outcome->hearing = failure == nullptr ? Hearing::returned : Hearing::raised;
    if (failure != nullptr) outcome->error = *failure;
    if (outcome->waited) done(outcome->hearing, outcome->error);
  };
  if (!callback.start_task(push_ended_season, &told, title, log, on_end)) return Hearing::absent;
  outcome->waited = true;
  error = outcome->error;
  return outcome->hearing;
}

// The registry calls this at tick.
SeasonEndHandler season_end_handler(RegistryHandle& boards, std::string_view name,
                                    CallbackKey key) {
  return [callback = Callback(boards.callbacks, key), log = boards.registry->log(),
          name = std::string(name), &boards](const EndedSeason& ended, std::string& error) {
    const ToldSeason told{&ended, &boards};
    const std::string title = title_of(name, ended);
    if (ended.done) return tell_in_task(callback, told, title, log, error);
    switch (callback.attempt(push_ended_season, &told, title, log, error)) {
      case Callback::End::returned: return Hearing::returned;
      case Callback::End::failed: return Hearing::raised;
      case Callback::End::absent: break;
    }
    return Hearing::absent;
  };
}

Result<SeasonEndHandlerId> begin_hearing(RegistryHandle& boards, std::string_view name,
                                         CallbackKey key) {
  return boards.registry->season_ends().listen(name, &boards,
                                               season_end_handler(boards, name, key));
}

// ---- boards:on_season_end(name, handler) -> function that ends the calls | nil, reason

// Ends the calls in this process; the name is kept.
void stop_hearing(RegistryHandle& boards, SeasonEndHandlerId handler, CallbackKey key) {
  boards.registry->season_ends().stop(handler);
  boards.resources.unhear(key);
}

int boards_on_season_end(lua_State* L) {
  const Call call{L, "on_season_end"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view name = call.string(1);
  call.function(2);
  read_clock(call, boards);
  registry_of(call, boards);
  check_in_force(call, boards);
  sweep_watches(L, boards);
  const CallbackKey key = keep_callback(L, 1, *boards.callbacks, call.index(2));
  push_stop_function<stop_hearing>(L, key);

  registry_of(call, boards);  // a finalizer may have closed it
  const Result<SeasonEndHandlerId> begun = begin_hearing(boards, name, key);
  if (begun && !boards.owned) boards.resources.hear(key, *begun);
  flush_log(L, boards);
  return return_stop_function(L, key, begun);
}

// boards:forget_season_end(name) -> boolean | nil, reason
int boards_forget_season_end(lua_State* L) {
  const Call call{L, "forget_season_end"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view name = call.string(1);
  read_clock(call, boards);
  const Result<bool> forgotten = registry_of(call, boards).season_ends().forget(name);
  flush_log(L, boards);
  if (!forgotten) return refuse(L, forgotten.refusal());
  lua_pushboolean(L, *forgotten);
  return 1;
}

// boards:season_ends() -> array of { name=, board=, season=, tries=, error= }
int boards_season_ends(lua_State* L) {
  const Call call{L, "season_ends"};
  RegistryHandle& boards = boards_self(call);
  CallBuffers& buffers = borrow_buffers(call, boards);
  buffers.unheard_ends = registry_of(call, boards).season_ends().unheard();
  if (const RemoteBoards* const remotes = RemoteBoards::of(*boards.registry)) {
    for (UnheardEnd& end : remotes->unheard_ends()) buffers.unheard_ends.push_back(std::move(end));
  }
  push_array(L, buffers.unheard_ends, [](lua_State* to, const UnheardEnd& end) {
    lua_createtable(to, 0, 5);
    set_text(to, "name", end.name);
    set_text(to, "board", end.board);
    set_number(to, "season", static_cast<double>(end.season));
    set_number(to, "tries", end.tries);
    if (end.tries > 0) set_text(to, "error", end.error);
  });
  boards.buffers.give_back(buffers);
  return 1;
}

constexpr std::array kSeasonEndMethods = {
    luaL_Reg{"on_season_end", guarded<write_method<boards_on_season_end>>},
    luaL_Reg{"forget_season_end", guarded<write_method<boards_forget_season_end>>},
    luaL_Reg{"season_ends", guarded<boards_season_ends>},
};

}  // namespace

Methods season_end_methods() { return kSeasonEndMethods; }

}  // namespace laurel
