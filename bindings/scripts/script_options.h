// script_options.h - what a host gives to its scripts, and the counters that it can read.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/log.h"
#include "base/time.h"

namespace laurel {

// Valid during the call that receives it.
using EventValue = std::variant<double, std::string_view, bool>;

using OnEmit = std::function<void(std::string_view event, std::span<const EventValue> values)>;

struct ScriptHostOptions {
  std::string directory;
  Log log;
  OnEmit on_emit;          // may be empty; may call emit, but neither tick nor the destructor
  Clock* clock = nullptr;  // read once, at opening; null: the system clock
  // Budget of one call from the host, kScriptInstructionsMin to kScriptInstructionsMax; 0: no
  // budget (script_budget.h).
  std::uint64_t instructions = 0;
};

struct ScriptStats {
  std::uint64_t scripts = 0;   // in force now
  std::uint64_t handlers = 0;  // of these scripts
  std::uint64_t timers = 0;
  std::uint64_t loaded = 0;       // versions that came into force
  std::uint64_t load_failed = 0;  // loads that failed, unreadable files included
  std::uint64_t calls = 0;        // of handlers and timers
  std::uint64_t failed = 0;       // tasks and callbacks that ended by an error
  std::uint64_t interrupted = 0;  // calls from the host that used up the budget, loads included
  std::uint64_t emitted = 0;      // events from scripts to the host
};

}  // namespace laurel
