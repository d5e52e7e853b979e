#include "bindings/scripts/script_budget.h"

#include <algorithm>

#include "bindings/lua/versions.h"

namespace laurel {

namespace {

// In LuaJIT all coroutines share one hook. In plain Lua each has its own, and instructions of a
// coroutine that ends before its first check are not counted: so the hook checks more often.
constexpr int kStride = 1000;
constexpr int kStrideOfEach = 100;

// The stack slots that must be free to catch errors. The hook is not called if the stack has less
// room than it needs, so a recursion that catches its own overflow could never be interrupted.
constexpr int kRoomToCatch = 1000;

// The key of the state's budget in the registry: the hook only gets the state.
char budget_key;

// Coroutines resumed inside each other: each uses some of the C stack.
constexpr int kCoroutinesMax = 100;

// Replacements of the functions that catch errors, so that they cannot stop an interruption.
//   xpcall     its message handler runs inside the hook, and Lua does not nest hooks: an endless
//              handler could not be interrupted. So it does not run after an interruption.
//   load       LuaJIT calls no hook after lua_load has caught an error that the hook raised in a
//              reader. So the reader runs before load.
//   coroutine  endless nesting would exhaust the C stack.
constexpr char kCatchers[] = R"lua(
local check_room, is_spent, enter, leave = ...
local pcall, xpcall, error, type, concat = pcall, xpcall, error, type, table.concat
local load = jit and load or loadstring or load -- that of Lua 5.1 takes functions only
local create, resume = coroutine.create, coroutine.resume

function _G.pcall(...)
  check_room()
  return pcall(...)
end

function _G.xpcall(f, handler, ...)
  check_room()
  if type(handler) ~= "function" then
    error("bad argument #2 to 'xpcall' (function expected, got " .. type(handler) .. ")", 2)
  end
  return xpcall(f, function(...)
    if is_spent() then return (...) end
    return handler(...)
  end, ...)
end

local function gather(reader)
  local pieces = {}
  while true do
    local piece = reader()
    if piece == nil or piece == "" then return concat(pieces) end
    if type(piece) ~= "string" then error("reader function must return a string", 0) end
    pieces[#pieces + 1] = piece
  end
end

function _G.load(chunk, name, ...)
  if type(chunk) ~= "function" then return load(chunk, name, ...) end
  check_room()
  local read, text = pcall(gather, chunk)
  if not read then return nil, text end
  return load(text, name == nil and "=(load)" or name, ...)
end

function coroutine.resume(co, ...)
  if type(co) ~= "thread" then return resume(co, ...) end
  enter()
  return leave(resume(co, ...))
end

local function pass(resumed, ...)
  if not resumed then error((...), 0) end
  return ...
end

function coroutine.wrap(f)
  local co = create(f)
  return function(...)
    enter()
    return pass(leave(resume(co, ...)))
  end
end
)lua";

int check_room(lua_State* L) {
  luaL_checkstack(L, kRoomToCatch, "no room to catch errors");
  return 0;
}

// Turns LuaJIT's compiler off, and leaves only the constants of `jit`. Expects package.loaded and
// package.preload at the indexes. Returns false if Lua is not LuaJIT.
bool turn_engine_off(lua_State* L, int loaded, int preload) {
  lua_getglobal(L, "jit");
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  const int jit = lua_gettop(L);
  lua_getfield(L, jit, "off");
  lua_call(L, 0, 0);
  lua_newtable(L);
  for (const char* const fact : {"version", "version_num", "os", "arch"}) {
    lua_getfield(L, jit, fact);
    lua_setfield(L, -2, fact);
  }
  lua_pushvalue(L, -1);
  lua_setglobal(L, "jit");
  lua_setfield(L, loaded, "jit");
  for (const char* const part : {"jit.opt", "jit.util", "jit.profile"}) {
    for (const int table : {loaded, preload}) {
      lua_pushnil(L);
      lua_setfield(L, table, part);
    }
  }
  lua_settop(L, jit - 1);
  return true;
}

}  // namespace

void ScriptBudget::install(lua_State* L) {
  if (instructions_ == 0) return;
  main_ = L;
  const int top = lua_gettop(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "loaded");
  lua_getfield(L, -2, "preload");
  has_engine_ = turn_engine_off(L, top + 2, top + 3);
  stride_ = has_engine_ ? kStride : kStrideOfEach;

  lua_pushlightuserdata(L, &budget_key);
  lua_pushlightuserdata(L, this);
  lua_rawset(L, LUA_REGISTRYINDEX);

  lua_getglobal(L, "debug");
  lua_pushnil(L);
  lua_setfield(L, -2, "sethook");

  if (load_text(L, kCatchers, "=pcall") != 0) lua_error(L);
  for (const lua_CFunction function : {check_room, is_spent, enter, leave}) {
    lua_pushcfunction(L, function);
  }
  lua_call(L, 4, 0);
  lua_settop(L, top);
}

void ScriptBudget::begin() {
  if (main_ == nullptr) return;
  left_ = static_cast<std::int64_t>(instructions_);
  resumed_ = 0;
  lua_sethook(main_, on_count, LUA_MASKCOUNT, next_check());
}

// If the stack already has the hook, it keeps its count.
void ScriptBudget::cover(lua_State* L) {
  if (main_ == nullptr || has_engine_ || lua_gethook(L) == on_count) return;
  lua_sethook(L, on_count, LUA_MASKCOUNT, next_check());
}

int ScriptBudget::next_check() const {
  return static_cast<int>(std::clamp<std::int64_t>(left_, 1, stride_));
}

void ScriptBudget::end() {
  if (main_ == nullptr) return;
  lua_sethook(main_, nullptr, 0, 0);
}

ScriptBudget& ScriptBudget::budget_of(lua_State* L) {
  lua_pushlightuserdata(L, &budget_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  auto* const budget = static_cast<ScriptBudget*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return *budget;
}

int ScriptBudget::is_spent(lua_State* L) {
  lua_pushboolean(L, budget_of(L).left_ <= 0 ? 1 : 0);
  return 1;
}

int ScriptBudget::enter(lua_State* L) {
  ScriptBudget& budget = budget_of(L);
  if (budget.resumed_ == kCoroutinesMax) {
    return luaL_error(L, "more than %d coroutines within each other", kCoroutinesMax);
  }
  ++budget.resumed_;
  return 0;
}

int ScriptBudget::leave(lua_State* L) {
  --budget_of(L).resumed_;
  return lua_gettop(L);
}

void ScriptBudget::on_count(lua_State* L, lua_Debug* where) {
  ScriptBudget& budget = budget_of(L);
  const bool was_spent = budget.left_ <= 0;
  const int counted = lua_gethookcount(L);
  budget.left_ -= counted;
  if (counted != budget.next_check()) {
    lua_sethook(L, on_count, LUA_MASKCOUNT, budget.next_check());
  }
  if (budget.left_ > 0) return;
  if (!was_spent) ++budget.interrupted_;
  lua_getinfo(L, "Sl", where);
  lua_pushfstring(L, "%s:%d: interrupted after %d instructions of one call", where->short_src,
                  where->currentline, static_cast<int>(budget.instructions_));
  lua_error(L);
}

}  // namespace laurel
