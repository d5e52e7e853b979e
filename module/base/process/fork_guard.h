// fork_guard.h - tells whether an object was made in this process or in a parent before a fork.
//
// A forked child has copies of all memory, but none of the threads. A file that both have mapped
// belongs to the process that opened it.
//
//   cost     is_owner_process: one load.
#pragma once

#include <atomic>

namespace laurel {

class ForkGuard {
 public:
  ForkGuard();
  bool is_owner_process() const { return forks_seen_ == forks().load(std::memory_order_relaxed); }

 private:
  static std::atomic<unsigned>& forks();

  unsigned forks_seen_;
};

}  // namespace laurel
