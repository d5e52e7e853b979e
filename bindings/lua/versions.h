// versions.h - what differs between the Luas that the bindings can be compiled for. All other code
// is the same for each.
//
//   module     one laurel.so is for one Lua, since their symbols differ: LuaJIT and Lua 5.1 (which
//              have the same), 5.2, 5.3 or 5.4. CMake chooses the headers (LAUREL_LUA).
//   environment
//              of a userdata: a table that only C sees. 5.1 calls it so; later it is the user
//              value. Of a chunk: its globals; later its first upvalue, _ENV.
//   numbers    from 5.3 on Lua has integers. Every whole number that laurel gives is one.
//   cost       on LuaJIT and 5.1 each function is the call that it stands for.
//   threads    those of the Lua state.
//   source     the manuals, section 8 of 5.2, 5.3 and 5.4: "Incompatibilities".
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include <lua.hpp>

static_assert(LUA_VERSION_NUM >= 501 && LUA_VERSION_NUM <= 504, "laurel knows no such Lua");

namespace laurel {

inline constexpr bool kHasIntegers = LUA_VERSION_NUM >= 503;
// The greatest whole number up to which a double, and so a score, has them all: 2^53.
inline constexpr double kWholeMax = 9007199254740992;
// The greatest pause of the collector in percent; 5.4 keeps it in a byte.
inline constexpr std::size_t kGcPauseMax = LUA_VERSION_NUM == 504 ? 1000 : 1'000'000;

// ---- values

// The length of a string, userdata or table without metamethods.
inline std::size_t raw_length(lua_State* L, int index) {
#if LUA_VERSION_NUM == 501
  return lua_objlen(L, index);
#else
  return lua_rawlen(L, index);
#endif
}

// Pushes a number: as an integer if Lua has them and it is whole and within +-2^53.
inline void push_number(lua_State* L, double number) {
#if LUA_VERSION_NUM >= 503
  if (std::abs(number) <= kWholeMax && number == std::floor(number)) {
    lua_pushinteger(L, static_cast<lua_Integer>(number));
    return;
  }
#endif
  lua_pushnumber(L, number);
}

// Whether a number is an integer.
inline bool is_integer([[maybe_unused]] lua_State* L, [[maybe_unused]] int index) {
#if LUA_VERSION_NUM >= 503
  return lua_isinteger(L, index) != 0;
#else
  return false;
#endif
}

// Whether a number is an integer beyond +-2^53: as a double it would lose digits.
inline bool loses_digits([[maybe_unused]] lua_State* L, [[maybe_unused]] int index) {
#if LUA_VERSION_NUM >= 503
  constexpr auto kMost = static_cast<lua_Integer>(kWholeMax);
  if (lua_isinteger(L, index) == 0) return false;
  const lua_Integer integer = lua_tointeger(L, index);
  return integer > kMost || integer < -kMost;
#else
  return false;
#endif
}

// Pushes the number that a text is in Lua's syntax; or nothing, and returns false.
inline bool push_number_in(lua_State* L, int index) {
#if LUA_VERSION_NUM >= 503
  const std::size_t read = lua_stringtonumber(L, lua_tostring(L, index));
  if (read == lua_rawlen(L, index) + 1) return true;
  if (read != 0) lua_pop(L, 1);  // it has a zero byte
  return false;
#else
  if (lua_isnumber(L, index) == 0) return false;
  lua_pushnumber(L, lua_tonumber(L, index));
  return true;
#endif
}

// ---- environments

// Pushes the environment of the userdata at an index. Allocates nothing.
inline void push_environment_of(lua_State* L, int index) {
#if LUA_VERSION_NUM == 501
  lua_getfenv(L, index);
#elif LUA_VERSION_NUM == 504
  lua_getiuservalue(L, index, 1);
#else
  lua_getuservalue(L, index);
#endif
}

// Pops a table, which becomes the environment of the userdata at an index.
inline void set_environment_of(lua_State* L, int index) {
#if LUA_VERSION_NUM == 501
  lua_setfenv(L, index);
#elif LUA_VERSION_NUM == 504
  lua_setiuservalue(L, index, 1);
#else
  lua_setuservalue(L, index);
#endif
}

// Pops a table, which becomes the globals of the chunk at an index.
// REQUIRES: a function that load_text has pushed, not called yet.
inline void set_globals_of(lua_State* L, int index) {
#if LUA_VERSION_NUM == 501
  lua_setfenv(L, index);
#else
  lua_setupvalue(L, index, 1);
#endif
}

inline void push_globals(lua_State* L) {
#if LUA_VERSION_NUM == 501
  lua_pushvalue(L, LUA_GLOBALSINDEX);
#else
  lua_pushglobaltable(L);
#endif
}

// ---- chunks and libraries

// Compiles text: pushes a function or a message, and returns Lua's status. The caller has refused
// bytecode, which 5.1 would take.
inline int load_text(lua_State* L, std::string_view text, const char* name) {
#if LUA_VERSION_NUM == 501
  return luaL_loadbuffer(L, text.data(), text.size(), name);
#else
  return luaL_loadbufferx(L, text.data(), text.size(), name, "t");
#endif
}

// Opens a standard library and makes its global.
inline void open_library(lua_State* L, const char* name, lua_CFunction open) {
#if LUA_VERSION_NUM == 501
  lua_pushcfunction(L, open);
  lua_pushstring(L, name);
  lua_call(L, 1, 0);
#else
  luaL_requiref(L, name, open, 1);
  lua_pop(L, 1);
#endif
}

// The name under which the library of basic functions is opened.
inline constexpr const char* kBaseLibrary = LUA_VERSION_NUM == 501 ? "" : "_G";

// Lets code calculate with texts that are numbers, as in all Luas. In 5.4 this is the work of the
// library of strings, whose functions stay out of reach.
inline void open_text_arithmetic([[maybe_unused]] lua_State* L) {
#if LUA_VERSION_NUM == 504
  lua_pushcfunction(L, luaopen_string);
  lua_call(L, 0, 0);
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushnil(L);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 2);
#endif
}

// ---- calls and coroutines

// Calls a function with a light userdata, and returns Lua's status; after an error it is on the
// stack. Raises nothing itself.
inline int call_protected(lua_State* L, lua_CFunction function, void* argument) {
#if LUA_VERSION_NUM == 501
  return lua_cpcall(L, function, argument);
#else
  if (lua_checkstack(L, 2) == 0) {
    lua_pushnil(L);  // into the slots that Lua keeps free for errors
    return LUA_ERRMEM;
  }
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, argument);
  return lua_pcall(L, 1, 0, 0);
#endif
}

// Resumes a coroutine from `from`, and returns Lua's status. `results` is how many values it
// returned or yielded, on top of its stack; after an error only that is there.
inline int resume(lua_State* co, [[maybe_unused]] lua_State* from, int arguments, int& results) {
#if LUA_VERSION_NUM == 501
  const int status = lua_resume(co, arguments);
  results = lua_gettop(co);
  return status;
#elif LUA_VERSION_NUM == 504
  return lua_resume(co, from, arguments, &results);
#else
  const int status = lua_resume(co, from, arguments);
  results = lua_gettop(co);
  return status;
#endif
}

// Closes the variables that a coroutine that will not be resumed has marked as <close>.
inline void close_coroutine([[maybe_unused]] lua_State* co) {
#if LUA_VERSION_NUM == 504
  lua_resetthread(co);
  lua_settop(co, 0);
#endif
}

// ---- memory

// Whether an allocation that was refused is asked for again, after a full collection.
inline constexpr bool kRetriesAllocation = LUA_VERSION_NUM >= 502;

// Makes the collector work in pieces that end within about 20 us. 5.4 else works off 100 times what
// was allocated: in a state of 16 MB of small tables that takes 0.5 ms for each KB.
inline void set_small_gc_steps([[maybe_unused]] lua_State* L) {
#if LUA_VERSION_NUM == 504
  constexpr int kAsItIs = 0;
  constexpr int kTimesAllocated = 4;
  constexpr int kStepBytesLog2 = 10;
  lua_gc(L, LUA_GCINC, kAsItIs, kTimesAllocated, kStepBytesLog2);
#endif
}

// The size of a block of which an allocator is told. From 5.2 on, without a block it is told what
// the new one is for.
inline std::size_t old_size_of([[maybe_unused]] const void* block, std::size_t size) {
#if LUA_VERSION_NUM == 501
  return size;
#else
  return block == nullptr ? 0 : size;
#endif
}

}  // namespace laurel
