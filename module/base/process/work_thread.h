// work_thread.h - does work in a second thread while the caller does other work.
//
//   thread    one of its own, with all signals blocked, from the constructor to wait(). If none can
//             be started (RLIMIT_NPROC, RLIMIT_AS), the constructor does the work itself.
//   shares    what the caller touches between the constructor and wait() is not what the work
//             touches, or both only read it.
//   failure   what the work throws, wait() throws.
//   cost      about 20 us for the thread.
#pragma once

#include <exception>
#include <functional>
#include <thread>

namespace laurel {

class WorkThread {
 public:
  explicit WorkThread(std::function<void()> work);
  ~WorkThread();  // waits; what the work threw is lost
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  // Called at most once. Afterwards the caller sees all that the work wrote.
  void wait();

 private:
  void run();

  std::function<void()> work_;
  std::exception_ptr thrown_;
  std::thread thread_;  // last: it starts when all other members exist
};

}  // namespace laurel
