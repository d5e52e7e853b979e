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
    Option{"path", LUA_TSTRING},
    Option{"durability", LUA_TSTRING},
    Option{"rules", LUA_TSTRING},
    Option{"clock", LUA_TFUNCTION},
    Option{"log", LUA_TFUNCTION},
    Option{"remotes", LUA_TTABLE, Given::later},
    Option{"remote_timeout", LUA_TNUMBER, Given::later},
};

struct Opening {
  std::optional<std::string_view> path;
  Durability durability = Durability::tick;
  std::optional<std::string_view> rules;
  Time now = 0;
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

Status open_registry(BoardsBox& box, const Opening& opening) {
  RegistryOptions options;
  if (opening.path) options.path = *opening.path;
  options.durability = opening.durability;
  if (opening.has_log) options.log = Log(waiting_sink(box));
  if (opening.has_clock) {
    auto clock = std::make_unique<ScriptClock>(opening.now);
    box.clock = clock.get();
    options.clock = std::move(clock);
  }
  if (opening.rules) options.rules = open_lua_rules(std::string(*opening.rules), options.log);
  Result<std::unique_ptr<Registry>> registry = Registry::open(std::move(options));
  if (!registry) return registry.refusal();
  box.owned = std::move(*registry);
  box.registry = box.owned.get();
  return Done{};
}

// `durability`, and that it goes with a path.
void read_durability(const Call& call, Opening& opening) {
  const std::optional<std::string_view> word = string_option(call, 1, "durability");
  if (!word) return;
  const std::optional<Durability> durability = durability_from_word(*word);
  if (!durability) {
    const ShortText quoted = shown(*word);
    call.bad(1, "field 'durability' is \"%s\"; it takes \"tick\", \"always\" or \"none\"",
             quoted.text);
  }
  if (!opening.path) call.bad(1, "field 'durability' needs a 'path'");
  opening.durability = *durability;
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
  BoardsBox* box = nullptr;
};

// Runs with the module as its upvalue, as functions that make userdata do.
int push_lent(lua_State* L) {
  auto& lent = *static_cast<Lent*>(lua_touserdata(L, 1));
  auto* main = static_cast<lua_State*>(lua_touserdata(L, 2));
  lent.box = &push_box(L, main);
  lent.box->registry = lent.registry;
  return 1;
}

}  // namespace

// laurel.open([options]) -> boards
int wrap_open(lua_State* L) {
  const Call call{L, "open", 0};
  check_options(call, 1, kOptions);
  lua_settop(L, 1);
  Opening opening;
  opening.path = string_option(call, 1, "path");
  if (opening.path && opening.path->empty()) call.bad(1, "field 'path' is empty");
  opening.rules = string_option(call, 1, "rules");
  read_durability(call, opening);

  BoardsBox& box = push_box(L, L);
  lua_getfenv(L, -1);
  opening.has_clock = keep_function(call, "clock", kClockSlot);
  opening.has_log = keep_function(call, "log", kLogSlot);
  lua_pop(L, 1);
  lua_insert(L, 1);  // the options, whose strings are in use, come to stand behind
  // Boards that come back want to know the time.
  if (opening.has_clock && opening.path) opening.now = read_clock_slot(L);

  const Status opened = open_registry(box, opening);
  settle(L, box);
  if (!opened) call.bad(1, "%s", opened.refusal().sentence().data());
  lua_settop(L, 1);
  return 1;
}

BoardsBox& push_boards(lua_State* L, Registry& registry) {
  luaL_checkstack(L, 6, "laurel");
  open_module(L);
  lua_pop(L, 1);
  push_module_table(L);
  lua_rawgeti(L, -1, kModuleSlot);
  lua_remove(L, -2);
  lua_pushcclosure(L, guarded<push_lent>, 1);
  Lent lent{&registry};
  lua_pushlightuserdata(L, &lent);
  lua_pushlightuserdata(L, L);
  lua_call(L, 2, 1);
  return *lent.box;
}

}  // namespace laurel
