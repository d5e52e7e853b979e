#include "base/process/work_thread.h"

#include <atomic>
#include <csignal>
#include <new>
#include <pthread.h>
#include <thread>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("work is done in a second thread while the caller does other work") {
  std::atomic<bool> caller_came = false;
  std::thread::id worker;
  int written = 0;
  WorkThread thread([&] {
    while (!caller_came) std::this_thread::yield();
    worker = std::this_thread::get_id();
    written = 7;
  });
  caller_came = true;
  thread.wait();
  CHECK(written == 7);
  CHECK(worker != std::this_thread::get_id());
}

TEST_CASE("what the work throws, wait() throws") {
  WorkThread thread([] { throw std::bad_alloc(); });
  CHECK_THROWS_AS(thread.wait(), std::bad_alloc);
}

TEST_CASE("a work thread that is not waited for has ended when it is destroyed") {
  std::atomic<bool> ended = false;
  {
    WorkThread thread([&] {
      std::this_thread::yield();
      ended = true;
    });
  }
  CHECK(ended);
}

TEST_CASE("the host's signals do not reach a work thread, and the caller's mask stays") {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigset_t of_work;
  WorkThread thread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &of_work); });
  thread.wait();
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGXFSZ, SIGCHLD}) {
    CAPTURE(signal);
    CHECK(sigismember(&of_work, signal) == 1);
    CHECK(sigismember(&after, signal) == sigismember(&before, signal));
  }
}

}  // namespace laurel
