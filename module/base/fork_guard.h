// fork_guard.h - whether this process was forked off the one in which something was made.
//
// A process that is forked off has copies of all memory and none of the threads; a file that both
// have mapped belongs to the one that opened it.
//
//   cost     born_here: one load.
#pragma once

#include <atomic>

namespace laurel {

class ForkGuard {
 public:
  ForkGuard();
  bool born_here() const { return forks_seen_ == forks().load(std::memory_order_relaxed); }

 private:
  static std::atomic<unsigned>& forks();

  unsigned forks_seen_;
};

}  // namespace laurel
