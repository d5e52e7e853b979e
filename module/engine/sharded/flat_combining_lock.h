// flat_combining_lock.h - gives several threads access to a shard of a board: one thread at a time
// is in the shard, and it also does the work of waiting threads (flat combining).
//
//   request   work that a thread wants done in a shard. It is posted at the shard's lock and run by
//            the thread inside: the posting thread itself, or an earlier one, which runs all posted
//            requests before it leaves. So each thread stays with a shard, whose memory is in its
//            processor's cache.
//   turns    a thread serves at most kTurnsMax rounds of requests; then it leaves, and offers the
//            rest to a waiting thread. So no thread works for others without end.
//   threads  any, at the same time.
//   source   flat combining: D. Hendler, I. Incze, N. Shavit, M. Tzafrir, SPAA 2010
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace laurel {

class FlatCombiningLock {
 public:
  // Must not move between post() and the return of wait().
  class Request {
   public:
    Request() = default;
    virtual ~Request() = default;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    // Does the work, in the thread that is in the shard.
    virtual void run() noexcept = 0;

   private:
    friend class FlatCombiningLock;
    enum class State : std::uint8_t { posted, offered, done };
    std::atomic<State> state_ = State::posted;
    Request* next_ = nullptr;
  };

  void post(Request& request) noexcept;
  // Enters the shard and runs posted requests; returns false, without entering, if another thread
  // is inside, which will run them.
  bool work();
  // Blocks until the request was run by any thread. REQUIRES: it was posted here, and work() was
  // called after that.
  void wait(Request& request);

 private:
  static constexpr int kTurnsMax = 16;
  // Checks of a request's state before sleeping: about 100 us, several batches long.
  static constexpr int kLooksMax = 500;

  bool run_posted(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  Request* first_ = nullptr;  // list of the posted requests
  Request* last_ = nullptr;
  bool is_inside_ = false;  // a thread is in the shard
};

}  // namespace laurel
