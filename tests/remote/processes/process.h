// process.h - a process that runs a script, receives lines, and prints lines.
//
//   said      complete lines only: a line that a kill cut off is left out.
//   waiting   fails the test if nothing comes in time, and shows the last lines.
//   end       the destructor kills the process, and it does not outlive its parent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/time.h"

namespace laurel {

inline constexpr Time kPatience = 60 * kSecond;  // for what takes a second on an idle machine

class Process {
 public:
  // A file of this folder, and its arguments.
  Process(const std::string& script, const std::vector<std::string>& words);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void tell(std::string_view line) const;
  // Reads what the process has printed, and waits up to `within` for the first of it.
  void listen(Time within = 0);
  const std::vector<std::string>& said() const { return said_; }

  // The next line with this first word, after those already waited for. Returns it without the
  // word.
  std::string wait_for(const std::string& word, Time within = kPatience);
  // Waits for the next line that begins with `last`. Returns the lines up to it that begin with
  // `word`, without that word.
  std::vector<std::string> wait_for_all(const std::string& word, const std::string& last);

  // Ends it at once, as kill -9 does.
  void kill();
  // Closes its input and waits for its end. Returns its exit code, or minus the signal.
  int finish();

 private:
  [[noreturn]] void fail(const std::string& why) const;
  int reap();

  pid_t process_ = -1;
  int tells_ = -1;  // its standard input
  int says_ = -1;   // its standard output
  std::string rest_;
  std::vector<std::string> said_;
  std::size_t heard_ = 0;  // the number of lines already waited for
};

}  // namespace laurel
