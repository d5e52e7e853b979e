// script_errors.h - logs errors of hosted scripts with file, line and traceback, at a limited rate.
//
//   report   one error: a line with the message, and one line per line of its traceback.
//   place    "scripts/goals.lua:3": errors of one place are counted together, whatever their text.
//            At most kSameErrorLinesPerSecond errors of a place are logged per second.
//   threads  none.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/log_rate_limit.h"
#include "base/time.h"

namespace laurel {

class ScriptErrors {
 public:
  explicit ScriptErrors(Log log) : log_(std::move(log)) {}

  // `during` names what was running: "handler of \"goal\"". The traceback may be empty.
  void report(std::string_view message, std::string_view during, std::string_view traceback);

  // Call once a tick. Each second it logs how many errors were suppressed, and starts counting
  // again.
  void tick(Time now);

 private:
  Log log_;
  std::map<std::string, LogRateLimit, std::less<>> places_;
  Time second_began_ = 0;
};

}  // namespace laurel
