#include "engine/sharded/shard_door.h"

#include <thread>
#include <utility>

namespace laurel {

void ShardDoor::post(Errand& errand) noexcept {
  const std::scoped_lock lock(mutex_);
  (first_ == nullptr ? first_ : last_->next_) = &errand;
  last_ = &errand;
}

// Runs all errands posted so far. An errand belongs to its owner again as soon as it is done.
bool ShardDoor::run_posted(std::unique_lock<std::mutex>& lock) {
  if (first_ == nullptr) return false;
  for (Errand* errand = std::exchange(first_, nullptr); errand != nullptr;) {
    Errand* const next = errand->next_;
    lock.unlock();
    errand->run();
    lock.lock();
    errand->next_ = nullptr;
    errand->state_.store(Errand::State::done, std::memory_order_release);
    changed_.notify_all();
    errand = next;
  }
  return true;
}

bool ShardDoor::work() {
  std::unique_lock lock(mutex_);
  if (is_inside_) return false;
  is_inside_ = true;
  int turns = 0;
  while (turns < kTurnsMax && run_posted(lock)) ++turns;
  is_inside_ = false;
  if (first_ != nullptr) {
    first_->state_.store(Errand::State::offered, std::memory_order_release);
    changed_.notify_all();
  }
  return true;
}

void ShardDoor::wait(Errand& errand) {
  using State = Errand::State;
  const auto state = [&errand] { return errand.state_.load(std::memory_order_acquire); };
  for (;;) {
    for (int looks = 0; looks < kLooksMax && state() == State::posted; ++looks) {
      std::this_thread::yield();
    }
    if (state() == State::done) return;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&state] { return state() != State::posted; });
      if (state() == State::done) return;
      errand.state_.store(State::posted, std::memory_order_relaxed);
    }
    work();
  }
}

}  // namespace laurel
