// coroutine.h - a C++20 coroutine that waits for answers of a remote.
//
//   Task<T>    begins when it is awaited or started, not before, and ends by co_return. Its holder
//              owns it: if it is destroyed while it waits, it destroys what it waits for.
//   all        runs several tasks concurrently and resumes after the last has ended.
//   Detached   is not awaited. It begins at once and frees itself.
//   arguments  of a class type are named variables in an awaited call, and moved: g++ 12 destroys
//              some temporaries of such expressions twice.
//   errors     are values. An exception that leaves a task ends the process.
//   threads    one, the thread of the remote. Nothing is locked.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace laurel {

template <typename T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    struct Final {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> ended) const noexcept {
        promise_type& promise = ended.promise();
        if (promise.among != nullptr && --*promise.among > 0) return std::noop_coroutine();
        return promise.waiting ? promise.waiting : std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    void return_value(T given) { value.emplace(std::move(given)); }
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

    std::optional<T> value;
    std::coroutine_handle<> waiting;
    std::size_t* among = nullptr;  // tasks awaited together that have not ended
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().waiting = waiting;
    return handle_;
  }
  T await_resume() { return std::move(*handle_.promise().value); }

  // For a task that is not awaited: starts it. done() says whether it has ended.
  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }

  // For all(): starts it as one of several.
  void start_among(std::coroutine_handle<> waiting, std::size_t& among) {
    handle_.promise().waiting = waiting;
    handle_.promise().among = &among;
    handle_.resume();
  }
  T take() { return std::move(*handle_.promise().value); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

// Runs several tasks concurrently; their values are in the order of the tasks.
template <typename T>
class [[nodiscard]] All {
 public:
  explicit All(std::vector<Task<T>>& tasks) : tasks_(tasks) {}

  bool await_ready() const noexcept { return tasks_.empty(); }
  // The count starts one too high to cover the loop itself: a task may end while others start.
  bool await_suspend(std::coroutine_handle<> waiting) {
    running_ = tasks_.size() + 1;
    for (Task<T>& task : tasks_) task.start_among(waiting, running_);
    return --running_ > 0;
  }
  std::vector<T> await_resume() {
    std::vector<T> values;
    values.reserve(tasks_.size());
    for (Task<T>& task : tasks_) values.push_back(task.take());
    return values;
  }

 private:
  std::vector<Task<T>>& tasks_;
  std::size_t running_ = 0;
};

// `tasks` must live until the await ends.
template <typename T>
All<T> all(std::vector<Task<T>>& tasks) {
  return All<T>(tasks);
}

// A coroutine that is not awaited: it runs to its first suspension at once, and frees itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

}  // namespace laurel
