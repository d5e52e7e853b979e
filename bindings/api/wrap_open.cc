// laurel.open, and push_boards for the boards that a host lends to its scripts.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/log.h"
#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/options.h"
#include "bindings/lua/tasks.h"
#include "bindings/module.h"
#include "bindings/sandbox/rule_registry.h"
#include "control/control_socket.h"
#include "remote/limits.h"
#include "remote/remote_boards.h"

namespace laurel {

namespace {

constexpr std::array kOpenOptions = {
    Option{"path", LUA_TSTRING},           Option{"durability", LUA_TSTRING},
    Option{"rules", LUA_TSTRING},          Option{"clock", LUA_TFUNCTION},
    Option{"log", LUA_TFUNCTION},          Option{"remotes", LUA_TTABLE},
    Option{"remote_timeout", LUA_TNUMBER}, Option{"players", LUA_TSTRING},
    Option{"metrics", LUA_TSTRING},        Option{"metrics_seconds", LUA_TNUMBER},
    Option{"control", LUA_TBOOLEAN},
};

struct Opening {
  std::optional<std::string_view> path;
  Durability durability = Durability::tick;
  std::optional<std::string_view> rules;
  Time now = 0;
  bool has_clock = false;
  bool has_log = false;
  bool has_remotes = false;
  std::optional<double> remote_timeout;     // seconds
  std::optional<std::string_view> players;  // the remote of players and sessions
  std::optional<std::string_view> metrics;  // a file
  std::optional<double> metrics_seconds;
  bool control = true;
  std::string_view lua;  // which one runs the script
};

// Buffers up to kLogLinesMax lines in the handle until the call ends; the others go to standard
// error.
LogSink waiting_sink(RegistryHandle& boards) {
  boards.waiting = std::make_unique<BufferedLines>();
  return [&lines = boards.waiting->lines](Level level, std::string_view line) {
    if (lines.size() < kLogLinesMax) {
      lines.emplace_back(level, std::string(line));
    } else {
      log_to_stderr(level, line);
    }
  };
}

// Reads `remote_timeout` and checks `remotes`.
void read_remotes(const Call& call, Opening& opening) {
  lua_State* const L = call.L;
  opening.remote_timeout = number_option(call, 1, "remote_timeout");
  const double seconds = opening.remote_timeout.value_or(1);
  constexpr auto kSecondsMax = static_cast<double>(kRemoteTimeoutMax / kSecond);
  if (!(seconds > 0 && seconds <= kSecondsMax)) {
    call.bad(1, "field 'remote_timeout' is %s; it takes seconds above 0, up to %s",
             number_text(seconds).text, number_text(kSecondsMax).text);
  }
  push_option(call, 1, "remotes");
  if (lua_istable(L, -1)) {
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
      if (lua_type(L, -2) != LUA_TSTRING) {
        call.bad(1, "field 'remotes': the names of remotes are strings, got a %s",
                 type_name(L, -2));
      }
      const std::string_view name = Call::string_at(L, -2);
      const ShortText quoted = shown(name);
      if (!is_remote_name(name)) {
        call.bad(1,
                 "field 'remotes': \"%s\" is not a remote's name: it takes 1 to %d letters, "
                 "digits, \"_\" or \"-\"",
                 quoted.text, static_cast<int>(kRemoteNameBytesMax));
      }
      if (lua_type(L, -1) != LUA_TSTRING) {
        call.bad(1, "field 'remotes': '%s': string expected, got %s", quoted.text,
                 type_name(L, -1));
      }
      opening.has_remotes = true;
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

// Reads `players`; raises unless it names a remote.
void read_players(const Call& call, Opening& opening) {
  lua_State* const L = call.L;
  opening.players = string_option(call, 1, "players");
  if (!opening.players) return;
  push_option(call, 1, "remotes");
  bool known = false;
  if (lua_istable(L, -1)) {
    push(L, *opening.players);
    lua_rawget(L, -2);
    known = !lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  if (known) return;
  const ShortText quoted = shown(*opening.players);
  call.bad(1, "field 'players' is \"%s\": no remote has that name", quoted.text);
}

void read_metrics(const Call& call, Opening& opening) {
  opening.metrics = string_option(call, 1, "metrics");
  if (opening.metrics && opening.metrics->empty()) call.bad(1, "field 'metrics' is empty");
  opening.metrics_seconds = number_option(call, 1, "metrics_seconds");
  if (!opening.metrics_seconds) return;
  constexpr auto kSecondsMax = static_cast<double>(kMetricsSecondsMax);
  if (!(*opening.metrics_seconds >= 1 && *opening.metrics_seconds <= kSecondsMax)) {
    call.bad(1, "field 'metrics_seconds' is %f; it takes seconds from 1 to %f",
             *opening.metrics_seconds, kSecondsMax);
  }
  if (!opening.metrics) call.bad(1, "field 'metrics_seconds' needs 'metrics'");
}

// Pushes the version of the Lua that runs the script: that of LuaJIT, or Lua's own.
std::string_view push_lua_version(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "jit");
    lua_remove(L, -2);
  }
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "version");
    lua_remove(L, -2);
  }
  if (lua_type(L, -1) != LUA_TSTRING) {
    lua_pop(L, 1);
    lua_pushliteral(L, LUA_VERSION);
  }
  return Call::string_at(L, -1);
}

// Reads the URLs by name from the table at an index. Values of other types were refused before.
RemoteOptions remote_options(lua_State* L, int remotes, const Opening& opening) {
  RemoteOptions options;
  if (opening.remote_timeout) {
    options.timeout =
        std::max<Time>(1, std::llround(*opening.remote_timeout * static_cast<double>(kSecond)));
  }
  if (opening.players) options.players = *opening.players;
  lua_pushnil(L);
  while (lua_next(L, remotes) != 0) {
    if (lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TSTRING) {
      options.urls.emplace(Call::string_at(L, -2), Call::string_at(L, -1));
    }
    lua_pop(L, 1);
  }
  return options;
}

// Expects the table of remotes on top of the stack, if opening.has_remotes.
Status open_registry(lua_State* L, RegistryHandle& boards, const Opening& opening) {
  RegistryOptions options;
  if (opening.path) options.path = *opening.path;
  options.durability = opening.durability;
  options.metrics.lua = opening.lua;
  if (opening.metrics) options.metrics.file = *opening.metrics;
  if (opening.metrics_seconds) {
    options.metrics.every = std::llround(*opening.metrics_seconds * static_cast<double>(kSecond));
  }
  if (opening.has_log) options.log = Log(waiting_sink(boards));
  if (opening.has_clock) {
    auto clock = std::make_unique<ScriptClock>(opening.now);
    boards.clock = clock.get();
    options.clock = std::move(clock);
  }
  if (opening.path && opening.control) {
    options.control = make_control_socket(std::string(*opening.path));
  }
  if (opening.rules) options.rules = open_lua_rules(std::string(*opening.rules), options.log);
  if (opening.has_remotes) {
    auto remotes = RemoteBoards::open(remote_options(L, lua_gettop(L), opening));
    if (!remotes) return remotes.refusal();
    options.remotes = std::move(*remotes);
  }
  Result<std::unique_ptr<Registry>> registry = Registry::open(std::move(options));
  if (!registry) return registry.refusal();
  boards.owned = std::move(*registry);
  boards.registry = boards.owned.get();
  if (boards.callbacks->tasks) boards.callbacks->tasks->add_boards(boards.task_boards);
  return Done{};
}

// Reads `durability`; raises if it is given without a path.
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

// Moves the function in a field into a slot of the environment table on top of the stack. Returns
// false if the field is absent.
bool keep_function(const Call& call, const char* field, int slot) {
  push_option(call, 1, field);
  const bool exists = lua_isfunction(call.L, -1);
  if (exists) {
    lua_rawseti(call.L, -2, slot);
  } else {
    lua_pop(call.L, 1);
  }
  return exists;
}

struct Lent {
  Registry* registry;
  RegistryHandle* boards = nullptr;
};

// Has the module as its upvalue, which push_userdata needs.
int push_lent(lua_State* L) {
  auto& lent = *static_cast<Lent*>(lua_touserdata(L, 1));
  auto* main = static_cast<lua_State*>(lua_touserdata(L, 2));
  lent.boards = &push_registry_handle(L, main);
  lent.boards->registry = lent.registry;
  if (lent.boards->callbacks->tasks)
    lent.boards->callbacks->tasks->add_boards(lent.boards->task_boards);
  return 1;
}

}  // namespace

// laurel.open([options]) -> boards
int wrap_open(lua_State* L) {
  const Call call{L, "open", 0};
  check_options(call, 1, kOpenOptions);
  lua_settop(L, 1);
  Opening opening;
  opening.path = string_option(call, 1, "path");
  if (opening.path && opening.path->empty()) call.bad(1, "field 'path' is empty");
  opening.rules = string_option(call, 1, "rules");
  read_durability(call, opening);
  read_remotes(call, opening);
  read_players(call, opening);
  read_metrics(call, opening);
  opening.control = boolean_option(call, 1, "control").value_or(true);

  RegistryHandle& boards = push_registry_handle(L, L);
  push_environment_of(L, -1);
  opening.has_clock = keep_function(call, "clock", kClockSlot);
  opening.has_log = keep_function(call, "log", kLogSlot);
  lua_pop(L, 1);
  lua_insert(L, 1);  // the options stay on the stack, since their strings are in use
  // Loading boards from the disk needs the time.
  if (opening.has_clock && opening.path) opening.now = read_clock_slot(L);

  opening.lua = push_lua_version(L);
  if (opening.has_remotes) {
    lua_pushliteral(L, "remotes");
    lua_rawget(L, 2);
  }
  const Status opened = open_registry(L, boards, opening);
  flush_log(L, boards);
  if (!opened) call.bad(1, "%s", opened.refusal().message().data());
  lua_settop(L, 1);
  return 1;
}

RegistryHandle& push_boards(lua_State* L, Registry& registry) {
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
  return *lent.boards;
}

}  // namespace laurel
