// signals.h - no signal reaches this thread, or one that it starts, while this lives: they are the
// host's, and one of them (a file that may not grow, SIGXFSZ) would end the process.
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
