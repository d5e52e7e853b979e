// process.h - a process of its own that runs a script, is told lines, and says some.
//
//   said      whole lines only: what a kill tore is left out.
//   waiting   fails the test when nothing comes in time, and shows what came last.
//   end       the process goes with this, and with whoever started it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/time.h"

namespace laurel {

inline constexpr Time kPatience = 60 * kSecond;  // for what takes a second on a machine with time

class Process {
 public:
  // A file of this folder, and the words behind it.
  Process(const std::string& script, const std::vector<std::string>& words);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void tell(std::string_view line) const;
  // Takes what it has said by now, and waits so long for more.
  void listen(Time within = 0);
  const std::vector<std::string>& said() const { return said_; }

  // The next line with this first word, behind those that were waited for before; without it.
  std::string wait_for(const std::string& word, Time within = kPatience);
  // Likewise, of the lines up to the next with the word `last`, all that begin with `word`.
  std::vector<std::string> wait_for_all(const std::string& word, const std::string& last);

  // Ends it at once, as kill -9 does.
  void kill();
  // Lets it end by itself; its exit code, or minus the signal.
  int finish();

 private:
  [[noreturn]] void fail(const std::string& why) const;
  int reap();

  pid_t process_ = -1;
  int tells_ = -1;  // its standard input
  int says_ = -1;   // its standard output
  std::string rest_;
  std::vector<std::string> said_;
  std::size_t heard_ = 0;  // of them
};

}  // namespace laurel
