// script_host.h - runs a directory of gameplay scripts for a host that has no Lua of its own.
//
//   script     a file `<directory>/*.lua`, not in a subdirectory, whose name does not begin with a
//              dot. Each has its own environment over the shared globals, with Lua's full libraries
//              and LuaJIT's compiler on. Scripts are the host's own, trusted code, and have no
//              budget unless the host sets one. os.exit ends the process.
//   version    what one content of the file set up: handlers, timers, watches and live channels. A
//              new version replaces the old one atomically. One that fails to load leaves nothing
//              behind, and the old one continues.
//   state      `laurel.state` passes from version to version. What a version that fails to load
//              wrote into it stays written.
//   event      a name and at most kEventValuesMax values. emit sends it to the scripts, on_emit to
//              the host. Both deliver at once, inside the call; no event is queued. They may be
//              nested kEventDepthMax deep.
//   errors     of scripts are logged with file, line and traceback, and are not propagated: no Lua
//              error and no exception of a script reaches the host.
//   channels   a live channel passes to the next version, with its clients, if that version calls
//              boards:serve with the same options; if not, it ends with its version. Clients of
//              laurel.connect and boards of laurel.open live as long as something refers to them:
//              a script keeps them in laurel.state.
//   print      writes to the log, level info.
//   threads    the registry's: one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_watch.h"
#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "bindings/scripts/script_options.h"
#include "registry/registry.h"

namespace laurel {

class ScriptRunner;

class ScriptHost {
 public:
  // Loads every script. One that fails is logged and does not stop the others. The registry must
  // outlive the host. Fails with  unavailable  the directory cannot be read, or memory ran out
  //                               invalid      the budget is out of range
  static Result<std::unique_ptr<ScriptHost>> open(Registry& registry, ScriptHostOptions options);
  // Ends every script with its watches. REQUIRES: no call into the host is running.
  ~ScriptHost();
  ScriptHost(const ScriptHost&) = delete;
  ScriptHost& operator=(const ScriptHost&) = delete;

  // Runs the handlers of that event now: scripts by name, and the handlers of a script in the order
  // of registration. Returns how many ran. REQUIRES: values.size() <= kEventValuesMax.
  std::size_t emit(std::string_view event, std::span<const EventValue> values);

  // Call once per server frame: loads changed files, then calls the timers that are due at `now`,
  // each at most once. If `now` is earlier than before, no timer is delayed. Does nothing within a
  // call of a script.
  void tick(Time now);

  ScriptStats stats() const;

 private:
  struct Script {
    std::string name;  // file name
    FileWatch file;
    std::optional<std::uint64_t> version;  // in force
  };

  ScriptHost(ScriptHostOptions options, std::unique_ptr<ScriptRunner> runner);
  Status list();
  void reload();
  bool take_news(Script& script);
  std::string place(const Script& script) const { return label_ + "/" + script.name; }

  std::string directory_;
  std::string label_;  // the last part of directory_, for messages
  Log log_;
  DirectoryWatch names_;
  std::vector<Script> scripts_;  // by name
  std::unique_ptr<ScriptRunner> runner_;
  std::string last_error_;  // the last error of reading the directory; logged once
  bool too_many_ = false;   // there were more than kScriptsMax scripts; logged once
  std::uint64_t load_failed_ = 0;
};

}  // namespace laurel
