// progress_bar.h - tells on standard error what takes longer than a second, if that is a terminal.
//
//   line     is written again several times a second, and erased when the bar ends.
//   threads  one bar in a process; tell() may be called from any thread, also without a bar.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace laurel::tool {

class ProgressBar {
 public:
  ProgressBar();
  // Erases the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // What is done now, such as "reading"; a string that is never freed. Of `all` parts `done` are
  // done; 0: unknown.
  static void tell(const char* doing, std::uint64_t done = 0, std::uint64_t all = 0);

 private:
  void run();
  static void draw(unsigned round);

  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false;
  std::thread thread_;  // none if standard error is not a terminal
};

}  // namespace laurel::tool
