// task.h - a function that waits for answers without holding up the thread it runs on.
//
//   Task<T>    a coroutine that somebody awaits, or starts and forgets with detach(). It begins
//              when it is awaited, and ends on the same thread.
//   Gate       lets one task in after the other, in the order of their coming.
//   order      who waits is not resumed by whoever makes it ready but from a Ready queue, first
//              come, first served.
//   arguments  of a class type are named where they are awaited, and moved: g++ 12 destroys some
//              temporaries of such expressions twice.
//   threads    one.
//   errors     no exceptions: one that leaves a task ends the program.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <optional>
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

template <typename T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    struct End {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> task) const noexcept {
        return task.promise().waiter;
      }
      void await_resume() const noexcept {}
    };

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    End final_suspend() const noexcept { return {}; }
    void return_value(T given) { value.emplace(std::move(given)); }
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

    std::optional<T> value;
    std::coroutine_handle<> waiter;
  };

  Task(Task&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (task_) task_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    task_.promise().waiter = waiter;
    return task_;
  }
  T await_resume() { return std::move(*task_.promise().value); }

 private:
  explicit Task(std::coroutine_handle<promise_type> task) : task_(task) {}

  std::coroutine_handle<promise_type> task_;
};

// A coroutine that nobody awaits: it runs at once up to where it first waits, and frees itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

class Gate {
 public:
  explicit Gate(Ready& ready) : ready_(ready) {}

  bool is_open() const { return !taken_; }
  // To be awaited; whoever came through calls leave().
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
