// run_queue.h - resumes waiting tasks in order.
//
//   Ready    a task that becomes ready is queued, and resumed from run() in FIFO order, not by the
//            code that made it ready.
//   Gate     a mutex for tasks; they enter in FIFO order.
//   threads  one.
#pragma once

#include <coroutine>
#include <deque>
#include <utility>

namespace laurel::redis {

class Ready {
 public:
  void add(std::coroutine_handle<> task) { tasks_.push_back(task); }
  bool empty() const { return tasks_.empty(); }
  void run() {
    while (!tasks_.empty()) {
      const std::coroutine_handle<> task = tasks_.front();
      tasks_.pop_front();
      task.resume();
    }
  }

 private:
  std::deque<std::coroutine_handle<>> tasks_;
};

class Gate {
 public:
  explicit Gate(Ready& ready) : ready_(ready) {}

  bool is_open() const { return !taken_; }
  // To be awaited. A task that has entered must call leave().
  auto enter() {
    struct Entering {
      Gate& gate;
      bool await_ready() const noexcept { return !std::exchange(gate.taken_, true); }
      void await_suspend(std::coroutine_handle<> task) { gate.waiting_.push_back(task); }
      void await_resume() const noexcept {}
    };
    return Entering{*this};
  }
  void leave() {
    if (waiting_.empty()) {
      taken_ = false;
      return;
    }
    ready_.add(waiting_.front());
    waiting_.pop_front();
  }

 private:
  Ready& ready_;
  bool taken_ = false;
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace laurel::redis
