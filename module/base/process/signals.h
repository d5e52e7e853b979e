// signals.h - blocks all signals in this thread, and in threads that it starts, while this object
// exists. Signals belong to the host; one of them (SIGXFSZ, when a file may not grow) would end the
// process.
#pragma once

#include <csignal>

namespace laurel {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace laurel
