#include "base/process/fork_guard.h"

#include <mutex>
#include <pthread.h>

namespace laurel {

std::atomic<unsigned>& ForkGuard::forks() {
  static std::atomic<unsigned> forks{0};
  return forks;
}

ForkGuard::ForkGuard() {
  static std::once_flag once;
  std::call_once(once, [] {
    forks();
    pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1, std::memory_order_relaxed); });
  });
  forks_seen_ = forks().load(std::memory_order_relaxed);
}

}  // namespace laurel
