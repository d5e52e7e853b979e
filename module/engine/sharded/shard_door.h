// shard_door.h - several threads at the shards of one board: one at a time in a shard, and nobody
// waits before a door while there is something to do.
//
//   errand   work that a thread wants done in a shard. It is posted at the shard's door, and done
//            by whoever is inside: by the thread itself, or by one that came before and does what
//            has been posted before it leaves. So each thread stays with a shard, whose memory is
//            in its processor's cache, and does the others' work there.
//   turns    a thread that has looked kTurnsMax times for more leaves all the same, and offers what
//            is posted to one of those who wait for it: nobody works for others without end.
//   threads  any, at the same time.
//   source   flat combining: D. Hendler, I. Incze, N. Shavit, M. Tzafrir, SPAA 2010
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace laurel {

class ShardDoor {
 public:
  // Stays where it is from post() until wait() returned.
  class Errand {
   public:
    Errand() = default;
    virtual ~Errand() = default;
    Errand(const Errand&) = delete;
    Errand& operator=(const Errand&) = delete;

    // The work, in any thread: the one that is in the shard.
    virtual void run() noexcept = 0;

   private:
    friend class ShardDoor;
    enum class State : std::uint8_t { posted, offered, done };
    std::atomic<State> state_ = State::posted;
    Errand* next_ = nullptr;
  };

  void post(Errand& errand) noexcept;
  // Goes in, unless somebody is inside who will do it, and does what has been posted; whether it
  // went in.
  bool work();
  // Until the errand is done, by whomever. REQUIRES: posted here, work() was called since.
  void wait(Errand& errand);

 private:
  static constexpr int kTurnsMax = 16;
  // Looks for an errand's end before sleeping: some 100 us, several batches long.
  static constexpr int kLooksMax = 500;

  bool run_posted(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  Errand* first_ = nullptr;  // of those posted, which are a list
  Errand* last_ = nullptr;
  bool is_inside_ = false;  // somebody
};

}  // namespace laurel
