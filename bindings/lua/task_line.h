// task_line.h - connects what a task waits for to the task. Whatever will bring the answer owns the
// line: if the last owner goes before an answer came, the task is dropped.
#pragma once

#include <memory>

#include "bindings/lua/tasks.h"

namespace laurel {

class TaskLine {
 public:
  TaskLine(const std::shared_ptr<Tasks>& tasks, TaskId task) : tasks_(tasks), task_(task) {}
  ~TaskLine() {
    const std::shared_ptr<Tasks> tasks = tasks_.lock();
    if (!answered_ && tasks) tasks->abandon(task_);
  }
  TaskLine(const TaskLine&) = delete;
  TaskLine& operator=(const TaskLine&) = delete;

  // Whether the task still waits, and so its pending call exists.
  bool waits() const {
    const std::shared_ptr<Tasks> tasks = tasks_.lock();
    return tasks && tasks->waits(task_);
  }

  // Calls keep(), which stores the answer in the pending call, and resumes the task; neither if the
  // task no longer waits, since the pending call is gone then.
  template <typename Keep>
  void answer(Keep keep) {
    answered_ = true;
    const std::shared_ptr<Tasks> tasks = tasks_.lock();
    if (!tasks || !tasks->waits(task_)) return;
    keep();
    tasks->resume(task_);
  }

 private:
  std::weak_ptr<Tasks> tasks_;
  TaskId task_;
  bool answered_ = false;
};

}  // namespace laurel
