// script_errors.h - what hosted scripts do wrong, told to the operator: with file, line and
// traceback, and without burying the log when something goes wrong at every call.
//
//   report   one error: a line with what and where, and one line per line of its traceback.
//   place    "scripts/goals.lua:3": errors of one place are counted together, whatever they say.
//            Of each at most kSameErrorLinesPerSecond a second are written.
//   threads  none.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/time.h"
#include "bindings/line_quota.h"

namespace laurel {

class ScriptErrors {
 public:
  explicit ScriptErrors(Log log) : log_(std::move(log)) {}

  // `during` says what was running: "handler of \"goal\"". The traceback may be empty.
  void report(std::string_view message, std::string_view during, std::string_view traceback);

  // Once a tick: when a second went by, tells how many were not written and begins the next.
  void tick(Time now);

 private:
  Log log_;
  std::map<std::string, LineQuota, std::less<>> places_;
  Time second_began_ = 0;
};

}  // namespace laurel
