// board: watching the top.
#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/api/stop_function.h"
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

template <typename Ref>
void stop_watch(RegistryHandle& boards, WatchId watch, CallbackKey key) {
  end_watch(*boards.registry, watch, Ref::kType == Type::remote_board);
  boards.resources.unwatch(key);
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
  push_stop_function<stop_watch<Ref>>(L, key);

  if (!exists(self)) {  // a finalizer has dropped it
    drop_callback(L, 1, key);
    check_exists(call, self);
  }
  const Result<WatchId> begun = begin(self, n, key);
  if (begun && !boards.owned) boards.resources.watch(key, *begun, is_remote(self));
  flush_log(L, boards);
  return return_stop_function(L, key, begun);
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
