#include "engine/sharded/flat_combining_lock.h"

#include <thread>
#include <utility>

namespace laurel {

void FlatCombiningLock::post(Request& request) noexcept {
  const std::scoped_lock lock(mutex_);
  (first_ == nullptr ? first_ : last_->next_) = &request;
  last_ = &request;
}

// Runs all requests posted so far. A request belongs to its owner again as soon as it is done.
bool FlatCombiningLock::run_posted(std::unique_lock<std::mutex>& lock) {
  if (first_ == nullptr) return false;
  for (Request* request = std::exchange(first_, nullptr); request != nullptr;) {
    Request* const next = request->next_;
    lock.unlock();
    request->run();
    lock.lock();
    request->next_ = nullptr;
    request->state_.store(Request::State::done, std::memory_order_release);
    changed_.notify_all();
    request = next;
  }
  return true;
}

bool FlatCombiningLock::work() {
  std::unique_lock lock(mutex_);
  if (is_inside_) return false;
  is_inside_ = true;
  int turns = 0;
  while (turns < kTurnsMax && run_posted(lock)) ++turns;
  is_inside_ = false;
  if (first_ != nullptr) {
    first_->state_.store(Request::State::offered, std::memory_order_release);
    changed_.notify_all();
  }
  return true;
}

void FlatCombiningLock::wait(Request& request) {
  using State = Request::State;
  const auto state = [&request] { return request.state_.load(std::memory_order_acquire); };
  for (;;) {
    for (int looks = 0; looks < kLooksMax && state() == State::posted; ++looks) {
      std::this_thread::yield();
    }
    if (state() == State::done) return;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&state] { return state() != State::posted; });
      if (state() == State::done) return;
      request.state_.store(State::posted, std::memory_order_relaxed);
    }
    work();
  }
}

}  // namespace laurel
