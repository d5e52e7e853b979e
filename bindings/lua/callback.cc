#include "bindings/lua/callback.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/lua/args.h"
#include "bindings/lua/tasks.h"
#include "bindings/lua/userdata.h"

namespace laurel {

struct Callback::Ended {
  Ended(std::shared_ptr<CallbackOwner> owner_in, CallbackKey key_in)
      : owner(std::move(owner_in)), key(key_in) {}
  ~Ended() {
    if (owner->userdata != nullptr) owner->ended.push_back(key);
  }
  Ended(const Ended&) = delete;
  Ended& operator=(const Ended&) = delete;

  std::shared_ptr<CallbackOwner> owner;
  CallbackKey key;
};

Callback::Callback(std::shared_ptr<CallbackOwner> owner, CallbackKey key)
    : state_(std::make_shared<Ended>(std::move(owner), key)) {}

struct Callback::Invocation {
  PushArguments arguments = nullptr;  // null: none
  const void* what = nullptr;
  ReadResults results = nullptr;  // null: none
  void* into = nullptr;
  const std::string* title = nullptr;
  const Log* log = nullptr;
  const CallbackOwner* owner = nullptr;
  CallbackKey key = 0;
  std::string* error = nullptr;  // null: the text is not needed
  TaskEnd* on_end = nullptr;     // set: the function runs as a task
  bool found = false;            // the function exists
  bool done = false;

  bool push_function(lua_State* L);
  // The error is on top of the stack.
  void report(lua_State* L) const {
    if (error != nullptr) {
      *error = error_text(L, -1);
      error->resize(std::min(error->size(), error->find("\nstack traceback:")));
    }
    if (owner->host == nullptr) {
      log->error("{}: {}", *title, error_text(L, -1));
    } else if (lua_type(L, -1) == LUA_TSTRING) {
      owner->host->failed(*title, Call::string_at(L, -1));
    } else {
      owner->host->failed(*title, error_text(L, -1));
    }
  }
};

namespace {

void push_callbacks(lua_State* L, int owner_index) {
  push_environment_of(L, owner_index);
  lua_rawgeti(L, -1, kCallbacksSlot);
  lua_remove(L, -2);
}

}  // namespace

std::shared_ptr<CallbackOwner> make_callback_owner(lua_State* L, lua_State* main,
                                                   const void* userdata) {
  auto owner = std::make_shared<CallbackOwner>();
  owner->main = main;
  owner->userdata = userdata;
  owner->host = callback_host(L);
  owner->tasks = Tasks::of(L);
  return owner;
}

// Pushes the function; false if it was ended by the callback before it.
bool Callback::Invocation::push_function(lua_State* L) {
  push_environment(L, *owner);
  if (!lua_istable(L, -1)) return false;
  lua_rawgeti(L, -1, kCallbacksSlot);
  push_number(L, static_cast<double>(key));
  lua_rawget(L, -2);
  found = lua_isfunction(L, -1);
  return found;
}

int Callback::invoke_task(lua_State* L) {
  auto& call = *static_cast<Invocation*>(lua_touserdata(L, 1));
  Tasks& tasks = *call.owner->tasks;
  if (!tasks.has_room()) {
    luaL_error(L, "%d tasks within each other, and no more are allowed",
               static_cast<int>(kTasksWithin));
  }
  tasks.sweep(L);
  if (!tasks.has_idle()) tasks.make(L);
  if (!call.push_function(L)) return 0;
  const int arguments = call.arguments == nullptr ? 0 : call.arguments(L, call.what);
  lua_xmove(L, tasks.next(), arguments + 1);
  call.done = true;
  tasks.run(L, arguments, *call.title, 0, std::move(*call.on_end));
  return 0;
}

int Callback::invoke(lua_State* L) {
  auto& call = *static_cast<Invocation*>(lua_touserdata(L, 1));
  push_module_table(L);
  lua_rawgeti(L, -1, kTracebackSlot);
  const int handler = lua_gettop(L);
  if (!call.push_function(L)) return 0;

  const int arguments = call.arguments == nullptr ? 0 : call.arguments(L, call.what);
  if (lua_pcall(L, arguments, call.results == nullptr ? 0 : 2, handler) != 0) {
    call.report(L);
    return 0;
  }
  if (call.results != nullptr) call.results(L, call.into);
  call.done = true;
  return 0;
}

void Callback::call(PushArguments arguments, const void* what, const std::string& title,
                    const Log& log) const {
  Invocation invocation = {.arguments = arguments, .what = what, .title = &title, .log = &log};
  run(invocation);
}

Callback::End Callback::attempt(PushArguments arguments, const void* what, const std::string& title,
                                const Log& log, std::string& error) const {
  Invocation invocation = {.arguments = arguments, .what = what, .title = &title, .log = &log};
  invocation.error = &error;
  run(invocation);
  if (invocation.done) return End::returned;
  return invocation.found || !error.empty() ? End::failed : End::absent;
}

bool Callback::start_task(PushArguments arguments, const void* what, const std::string& title,
                          const Log& log, TaskEnd on_end) const {
  Invocation invocation = {.arguments = arguments, .what = what, .title = &title, .log = &log};
  invocation.on_end = &on_end;
  run(invocation);
  return invocation.done;
}

bool Callback::ask(ReadResults results, void* into, const std::string& title,
                   const Log& log) const {
  Invocation invocation = {.results = results, .into = into, .title = &title, .log = &log};
  run(invocation);
  return invocation.done;
}

void Callback::run(Invocation& invocation) const {
  const CallbackOwner& owner = *state_->owner;
  if (owner.userdata == nullptr) return;
  invocation.owner = &owner;
  invocation.key = state_->key;
  lua_State* const L = stack_of(owner);
  const Hosted hosted(owner.host, L);
  const NoCurrentTaskScope outside(owner.tasks.get());
  const bool is_task = invocation.on_end != nullptr;
  const lua_CFunction function = is_task ? guarded<invoke_task> : guarded<invoke>;
  if (call_protected(L, function, &invocation) != 0) {  // out of memory, or what guarded caught
    invocation.report(L);
    lua_pop(L, 1);
  }
}

CallbackKey keep_callback(lua_State* L, int owner_index, CallbackOwner& owner, int function_index) {
  const CallbackKey key = ++owner.last_key;
  push_callbacks(L, owner_index);
  push_number(L, static_cast<double>(key));
  lua_pushvalue(L, function_index);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return key;
}

void drop_callback(lua_State* L, int owner_index, CallbackKey key) {
  push_callbacks(L, owner_index);
  push_number(L, static_cast<double>(key));
  lua_pushnil(L);
  lua_rawset(L, -3);  // setting nil does not allocate, even if the key is absent
  lua_pop(L, 1);
}

void sweep_callbacks(lua_State* L, int owner_index, CallbackOwner& owner) {
  while (!owner.ended.empty()) {
    const CallbackKey key = owner.ended.back();
    owner.ended.pop_back();
    drop_callback(L, owner_index, key);
  }
}

void clear_callbacks(lua_State* L, int owner_index) {
  push_environment_of(L, owner_index);
  lua_newtable(L);
  lua_rawseti(L, -2, kCallbacksSlot);
  lua_pop(L, 1);
}

}  // namespace laurel
