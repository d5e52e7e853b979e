#include "base/process/work_thread.h"

#include <system_error>
#include <utility>

#include "base/process/signals.h"

namespace laurel {

WorkThread::WorkThread(std::function<void()> work) : work_(std::move(work)) {
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    run();
  }
}

WorkThread::~WorkThread() {
  if (thread_.joinable()) thread_.join();
}

void WorkThread::wait() {
  if (thread_.joinable()) thread_.join();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void WorkThread::run() {
  try {
    work_();
  } catch (...) {
    thrown_ = std::current_exception();
  }
}

}  // namespace laurel
