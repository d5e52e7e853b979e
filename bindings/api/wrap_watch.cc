// board: watching the top.
#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/values/push_entry.h"

namespace laurel {

namespace {

int push_event(lua_State* L, const void* what) {
  push_watch_event(L, *static_cast<const WatchEvent*>(what));
  return 1;
}

// The registry calls this at tick.
WatchCallback callback_for(RegistryHandle& boards, CallbackKey key) {
  return [callback = Callback(boards.callbacks, key),
          log = boards.registry->log()](const WatchEvent& event) {
    callback.call(push_event, &event, fmt::format("watch of board \"{}\"", escaped(event.board)),
                  log);
  };
}

bool exists(const BoardRef& self) {
  return self.boards->open() && self.boards->registry->get(self.handle) != nullptr;
}
bool exists(const RemoteBoardRef& self) { return find_remotes(self) != nullptr; }

Result<WatchId> begin(const BoardRef& self, std::size_t n, CallbackKey key) {
  return self.boards->registry->watch(self.handle, n, callback_for(*self.boards, key),
                                      segment_of(self));
}
Result<WatchId> begin(const RemoteBoardRef& self, std::size_t n, CallbackKey key) {
  return find_remotes(self)->watch(self.handle, n, callback_for(*self.boards, key));
}

// The stop function's upvalues.
constexpr int kStopBoard = 2;
constexpr int kStopWatch = 3;
constexpr int kStopKey = 4;
constexpr int kStopRemote = 5;

// () ends the watch; a second call does nothing
int stop_watch(lua_State* L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(kStopBoard));
  const auto& self = *static_cast<const AnyBoardRef*>(lua_touserdata(L, 1));
  RegistryHandle& boards = *self.boards;
  if (!boards.open()) return 0;
  const auto key = static_cast<CallbackKey>(lua_tonumber(L, lua_upvalueindex(kStopKey)));
  end_watch(*boards.registry, static_cast<WatchId>(lua_tonumber(L, lua_upvalueindex(kStopWatch))),
            lua_toboolean(L, lua_upvalueindex(kStopRemote)) != 0);
  boards.resources.unwatch(key);
  drop_callback(L, 1, key);
  return 0;
}

// () the stop function of an empty watch
int stop_nothing(lua_State*) { return 0; }

// board:watch(n, fn) -> stop function | nil, reason
template <typename Ref>
int watch(const Call& call, const Ref& self) {
  lua_State* const L = call.L;
  const std::size_t n = call.count(1);
  call.function(2);
  check_exists(call, self);
  if (n == 0) {  // an empty list never changes
    lua_pushcfunction(L, stop_nothing);
    return 1;
  }
  if (n > kWatchTopMax) {
    return refuse(L, {Code::out_of_range, "n is {}; a watch takes 1 to {}", n, kWatchTopMax});
  }
  RegistryHandle& boards = *self.boards;
  check_in_force(call, boards);
  sweep_watches(L, boards);
  const CallbackKey key = keep_callback(L, 1, *boards.callbacks, call.index(2));
  // The stop function is made before the watch: if memory runs out, no watch is left without one.
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  push_number(L, 0);
  push_number(L, static_cast<double>(key));
  lua_pushboolean(L, is_remote(self) ? 1 : 0);
  lua_pushcclosure(L, guarded<stop_watch>, kStopRemote);

  if (!exists(self)) {  // a finalizer has dropped it
    drop_callback(L, 1, key);
    check_exists(call, self);
  }
  const Result<WatchId> begun = begin(self, n, key);
  if (begun && !boards.owned) boards.resources.watch(key, *begun, is_remote(self));
  flush_log(L, boards);
  if (!begun) {
    drop_callback(L, 1, key);
    return refuse(L, begun.refusal());
  }
  push_number(L, static_cast<double>(*begun));
  lua_setupvalue(L, -2, kStopWatch);
  return 1;
}

// Parts of a board are read only, but a segment changes.
int watch_local(lua_State* L) {
  const Call call{L, "watch"};
  const auto& self = self_of<BoardRef>(call);
  if (self.is_past()) return refuse_read_only(call);
  resolve_standings(call, self);
  return committed(L, *self.boards, watch(call, self));
}

constexpr std::array kWatchMethods = {
    BoardMethod{"watch", guarded<watch_local>,
                guarded<remote_write_method<"watch", watch<RemoteBoardRef>>>},
};

}  // namespace

BoardMethods watch_methods() { return kWatchMethods; }

}  // namespace laurel
