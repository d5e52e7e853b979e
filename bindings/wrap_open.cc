// laurel.open, and the boards that a host lends to its scripts.
#include <array>

#include "base/log.h"
#include "bindings/boards_box.h"
#include "bindings/lua_options.h"
#include "bindings/lua_rules.h"
#include "bindings/wraps.h"

namespace laurel {

namespace {

constexpr std::array kOptions = {
    Option{"path", LUA_TSTRING, Given::later},
    Option{"durability", LUA_TSTRING, Given::later},
    Option{"rules", LUA_TSTRING},
    Option{"clock", LUA_TFUNCTION},
    Option{"log", LUA_TFUNCTION},
    Option{"remotes", LUA_TTABLE, Given::later},
    Option{"remote_timeout", LUA_TNUMBER, Given::later},
};

struct Opening {
  std::optional<std::string_view> rules;
  bool has_clock = false;
  bool has_log = false;
};

// Lines wait in the box for the end of the call that made them, but for more than kLogLinesMax.
LogSink waiting_sink(BoardsBox& box) {
  box.waiting = std::make_unique<WaitingLines>();
  return [&lines = box.waiting->lines](Level level, std::string_view line) {
    if (lines.size() < kLogLinesMax) {
      lines.emplace_back(level, std::string(line));
    } else {
      log_to_stderr(level, line);
    }
  };
}

void open_registry(BoardsBox& box, const Opening& opening) {
  RegistryOptions options;
  if (opening.has_log) options.log = Log(waiting_sink(box));
  if (opening.has_clock) {
    auto clock = std::make_unique<ScriptClock>();
    box.clock = clock.get();
    options.clock = std::move(clock);
  }
  if (opening.rules) options.rules = open_lua_rules(std::string(*opening.rules), options.log);
  box.owned = std::make_unique<Registry>(std::move(options));
  box.registry = box.owned.get();
}

// Moves the function in a field into a slot of the environment table on top; whether there is one.
bool keep_function(const Call& call, const char* field, int slot) {
  push_option(call, 1, field);
  const bool there = lua_isfunction(call.L, -1);
  if (there) {
    lua_rawseti(call.L, -2, slot);
  } else {
    lua_pop(call.L, 1);
  }
  return there;
}

struct Lent {
  Registry* registry;
  WatchListener* listener;
};

// Runs with the module as its upvalue, as functions that make userdata do.
int push_lent(lua_State* L) {
  auto& lent = *static_cast<Lent*>(lua_touserdata(L, 1));
  auto* main = static_cast<lua_State*>(lua_touserdata(L, 2));
  BoardsBox& box = push_box(L, main);
  box.registry = lent.registry;
  box.listener = std::move(*lent.listener);
  return 1;
}

}  // namespace

// laurel.open([options]) -> boards
int wrap_open(lua_State* L) {
  const Call call{L, "open", 0};
  check_options(call, 1, kOptions);
  lua_settop(L, 1);
  Opening opening;
  opening.rules = string_option(call, 1, "rules");

  BoardsBox& box = push_box(L, L);
  const int boards = lua_gettop(L);
  lua_getfenv(L, boards);
  opening.has_clock = keep_function(call, "clock", kClockSlot);
  opening.has_log = keep_function(call, "log", kLogSlot);

  open_registry(box, opening);

  lua_pushvalue(L, boards);
  lua_replace(L, 1);  // where settle looks for it
  settle(L, box);
  lua_settop(L, boards);
  return 1;
}

void push_boards(lua_State* L, Registry& registry, WatchListener listener) {
  luaL_checkstack(L, 6, "laurel");
  open_module(L);
  lua_pop(L, 1);
  push_module_table(L);
  lua_rawgeti(L, -1, kModuleSlot);
  lua_remove(L, -2);
  lua_pushcclosure(L, guarded<push_lent>, 1);
  Lent lent{&registry, &listener};
  lua_pushlightuserdata(L, &lent);
  lua_pushlightuserdata(L, L);
  lua_call(L, 2, 1);
}

}  // namespace laurel
