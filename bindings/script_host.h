// script_host.h - a directory of gameplay scripts, running for a host that has no Lua of its own.
//
//   script     a file `<directory>/*.lua`; subdirectories and names that begin with a dot are none.
//              Runs in an environment of its own over the shared globals, with Lua's full libraries
//              and LuaJIT's engine on: it is the host's own code, trusted, and without a budget
//              unless the host sets one. os.exit ends the process.
//   version    what one content of the file set up: handlers, timers, watches and live
//              channels. A new one replaces the old as one; one that does not load leaves nothing
//              behind, and the old runs on.
//   state      `laurel.state` passes from version to version. What a version that fails to load
//              wrote into it stays written.
//   event      a name and at most kEventValuesMax values; towards the scripts by emit, towards the
//              host by on_emit. Both are delivered at once, inside the call: none ever wait. They
//              may answer each other, kEventDepthMax deep.
//   errors     of scripts are logged with file, line and traceback, and go no further: no Lua error
//              and no exception of theirs reaches the host.
//   channels   a live channel passes to the next version that asks boards:serve for one with the
//              same options, clients included; otherwise it ends with its version. A client of
//              laurel.connect, and boards of laurel.open, live as long as something holds them:
//              who wants to keep them puts them into laurel.state.
//   print      writes to the log, level info.
//   threads    the registry's: one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "bindings/file_change.h"
#include "board/registry.h"

namespace laurel {

// Valid during the call that it is given to.
using EventValue = std::variant<double, std::string_view, bool>;

using OnEmit = std::function<void(std::string_view event, std::span<const EventValue> values)>;

struct ScriptHostOptions {
  std::string directory;
  Log log;
  OnEmit on_emit;          // may be empty; may call emit, but neither tick nor the destructor
  Clock* clock = nullptr;  // asked once, at opening; null: the system's
  // That one call from the host may run, kScriptInstructionsMin to kScriptInstructionsMax; 0: no
  // budget (script_budget.h).
  std::uint64_t instructions = 0;
};

struct ScriptStats {
  std::uint64_t scripts = 0;   // in force now
  std::uint64_t handlers = 0;  // of these
  std::uint64_t timers = 0;
  std::uint64_t loaded = 0;       // versions that came into force
  std::uint64_t load_failed = 0;  // and that did not
  std::uint64_t calls = 0;        // of handlers and timers
  std::uint64_t failed = 0;       // of those, and of watches and clients, ended by an error
  std::uint64_t interrupted = 0;  // calls from the host that spent their budget, loads included
  std::uint64_t emitted = 0;      // events from scripts to the host
};

class ScriptRunner;

class ScriptHost {
 public:
  // Loads every script. One that fails is logged and does not stop the others. The registry
  // outlives the host. Fails with  unavailable  the directory cannot be read, or there is no
  //                                             memory
  //                                invalid      there can be no such budget
  static Result<std::unique_ptr<ScriptHost>> open(Registry& registry, ScriptHostOptions options);
  // Ends every script with its watches. REQUIRES: no call into the host is running.
  ~ScriptHost();
  ScriptHost(const ScriptHost&) = delete;
  ScriptHost& operator=(const ScriptHost&) = delete;

  // Runs the handlers of that event now, scripts by name and each one's in the order of `on`;
  // returns how many ran. REQUIRES: values.size() <= kEventValuesMax.
  std::size_t emit(std::string_view event, std::span<const EventValue> values);

  // Once per server frame: loads what changed on disk, then calls the timers that are due at `now`,
  // each at most once. A `now` before the last one delays no timer. From within a script's call it
  // does nothing.
  void tick(Time now);

  ScriptStats stats() const;

 private:
  struct Script {
    std::string name;  // of the file
    FileWatch file;
    std::optional<std::uint64_t> version;  // in force
  };

  ScriptHost(ScriptHostOptions options, std::unique_ptr<ScriptRunner> runner);
  Status list();
  void reload();
  bool take_news(Script& script);
  std::string place(const Script& script) const { return label_ + "/" + script.name; }

  std::string directory_;
  std::string label_;  // its last part, as errors call it
  Log log_;
  DirectoryWatch names_;
  std::vector<Script> scripts_;  // by name
  std::unique_ptr<ScriptRunner> runner_;
  std::string trouble_;    // with the directory, as it was logged
  bool too_many_ = false;  // was logged
  std::uint64_t load_failed_ = 0;
};

}  // namespace laurel
