#include "bindings/rule_state.h"

#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <lua.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

constexpr const char* kWords[] = {"type",     "next",  "pairs",  "ipairs", "select",  "tonumber",
                                  "tostring", "error", "assert", "unpack", "rawequal"};

// Between two looks by the collector: doubling a string at each of them, the quickest way to grow,
// takes three instructions, so that a call overshoots its memory eightfold at worst.
constexpr int kCollectorStride = 10;

// Where in the registry the state's meter is found: the hook is told of nothing but the state.
char meter_key;

int open_libraries(lua_State* L) {
  lua_pushcfunction(L, luaopen_base);
  lua_pushliteral(L, "");
  lua_call(L, 1, 0);
  lua_pushcfunction(L, luaopen_math);
  lua_pushliteral(L, "math");
  lua_call(L, 1, 0);

  // Last: opening some libraries turns the engine on. A Lua without one has no such table.
  lua_getglobal(L, "jit");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "off");
    lua_call(L, 0, 0);
  }
  lua_settop(L, 0);
  return 0;
}

}  // namespace

RuleState::RuleState(Metering wanted) : metering_(wanted) {
  if (wanted == Metering::by_allocator) lua_ = lua_newstate(allocate, &meter_);
  if (lua_ == nullptr) {
    metering_ = Metering::by_collector;
    lua_ = luaL_newstate();
  }
  if (lua_ == nullptr) throw std::bad_alloc();
  meter_.stride = metering_ == Metering::by_allocator ? kRuleInstructionsMax : kCollectorStride;

  lua_pushlightuserdata(lua_, &meter_key);
  lua_pushlightuserdata(lua_, &meter_);
  lua_rawset(lua_, LUA_REGISTRYINDEX);
  if (lua_cpcall(lua_, open_libraries, nullptr) != 0) {
    lua_close(lua_);
    throw std::bad_alloc();  // nothing else can go wrong in it
  }
}

RuleState::~RuleState() { lua_close(lua_); }

void* RuleState::allocate(void* meter, void* block, std::size_t old_size, std::size_t new_size) {
  auto& m = *static_cast<Meter*>(meter);
  if (new_size == 0) {
    m.held -= old_size;
    std::free(block);
    return nullptr;
  }
  if (m.running && new_size > old_size) {
    const std::size_t growth = new_size - old_size;
    if (growth > m.allowed || m.held + growth > kRuleStateBytesMax) {
      m.spent = growth > m.allowed ? Spent::call_bytes : Spent::state_bytes;
      return nullptr;
    }
    m.allowed -= growth;
  }
  void* const moved = std::realloc(block, new_size);
  if (moved != nullptr) m.held += new_size - old_size;  // modulo 2^n: also where it shrinks
  return moved;
}

RuleState::Meter& RuleState::meter_of(lua_State* L) {
  lua_pushlightuserdata(L, &meter_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  auto* const meter = static_cast<Meter*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return *meter;
}

void RuleState::on_count(lua_State* L, lua_Debug* where) {
  Meter& meter = meter_of(L);
  meter.instructions -= meter.stride;
  if (meter.instructions <= 0) {
    meter.spent = Spent::instructions;
  } else {
    const auto held = static_cast<std::size_t>(lua_gc(L, LUA_GCCOUNT, 0)) * 1024;
    if (held > kRuleStateBytesMax) meter.spent = Spent::state_bytes;
    if (held > meter.start + meter.allowed) meter.spent = Spent::call_bytes;
    if (meter.spent == Spent::nothing) return;
  }
  meter.instructions = 0;
  meter.stride = 1;  // whatever catches the error ends at its next instruction, and so on
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
  lua_getinfo(L, "Sl", where);
  lua_pushfstring(L, "%s:%d: ", where->short_src, where->currentline);
  lua_error(L);
}

bool RuleState::call(int arguments, int results, Allowance allowance) {
  allowance_ = allowance == Allowance::one_call ? kRuleCallBytesMax : kRuleStateBytesMax;
  meter_.allowed = allowance_;
  meter_.instructions = kRuleInstructionsMax;
  meter_.stride = metering_ == Metering::by_allocator ? kRuleInstructionsMax : kCollectorStride;
  meter_.spent = Spent::nothing;
  if (metering_ == Metering::by_collector) meter_.start = bytes();
  lua_sethook(lua_, on_count, LUA_MASKCOUNT, meter_.stride);

  meter_.running = true;
  const int status = lua_pcall(lua_, arguments, results, 0);
  meter_.running = false;
  if (status == 0) return true;

  describe_failure();
  lua_pop(lua_, 1);
  // Lua has no emergency collection: what filled the memory would still lie there at the next call.
  if (meter_.spent == Spent::call_bytes || meter_.spent == Spent::state_bytes) {
    lua_gc(lua_, LUA_GCCOLLECT, 0);
  }
  return false;
}

void RuleState::describe_failure() {
  // Only a string's own bytes: to convert anything else allocates, and this is not protected.
  std::string_view text;
  if (lua_type(lua_, -1) == LUA_TSTRING) {
    std::size_t size = 0;
    const char* const bytes = lua_tolstring(lua_, -1, &size);
    text = {bytes, size};
  }
  // The hook knows where it was; Lua's own "not enough memory" does not.
  const bool has_place = metering_ == Metering::by_collector || meter_.spent == Spent::instructions;
  const std::string place = has_place ? escaped(text) : std::string();
  switch (meter_.spent) {
    case Spent::instructions:
      failure_ =
          fmt::format("{}more than {} instructions in one call", place, kRuleInstructionsMax);
      return;
    case Spent::call_bytes:
      failure_ = fmt::format("{}more than {} bytes allocated in one call", place, allowance_);
      return;
    case Spent::state_bytes:
      failure_ = fmt::format("{}more than {} bytes held", place, kRuleStateBytesMax);
      return;
    case Spent::nothing: break;
  }
  if (lua_type(lua_, -1) == LUA_TNUMBER) {
    failure_ = fmt::format("error {}", lua_tonumber(lua_, -1));
  } else if (lua_type(lua_, -1) != LUA_TSTRING) {
    failure_ = fmt::format("an error that is no text but a {} value", luaL_typename(lua_, -1));
  } else {
    failure_ = escaped(text, kRefusalBytesMax);
  }
}

void RuleState::push_environment(lua_State* L) {
  lua_createtable(L, 0, 12);
  for (const char* const name : kWords) {
    lua_getglobal(L, name);
    lua_setfield(L, -2, name);
  }
  lua_newtable(L);
  lua_getglobal(L, "math");
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  for (const char* const name : {"random", "randomseed"}) {
    lua_pushnil(L);
    lua_setfield(L, -2, name);
  }
  lua_setfield(L, -2, "math");
}

std::size_t RuleState::bytes() const {
  if (metering_ == Metering::by_allocator) return meter_.held;
  return static_cast<std::size_t>(lua_gc(lua_, LUA_GCCOUNT, 0)) * 1024 +
         static_cast<std::size_t>(lua_gc(lua_, LUA_GCCOUNTB, 0));
}

}  // namespace laurel
