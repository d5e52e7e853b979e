// pending_requests.h - the pending requests to remotes and their callbacks.
//
//   asking     sends at once. The callback runs in answer(), never inside ask().
//   cancelled  its answer is dropped, and its callback is destroyed.
//   callbacks  may ask, cancel and clear.
//   threads    the registry's caller.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/registry.h"
#include "remote/remote.h"

namespace laurel {

// A remote with its name in scripts.
struct NamedRemote {
  std::string name;
  std::unique_ptr<Remote> backend;
  bool was_down = false;  // at the last tick
};

class PendingRequests {
 public:
  using Completion = std::function<void(Result<Value> value)>;

  PendingRequests(SteadyClock steady, Time timeout)
      : steady_(std::move(steady)), timeout_(timeout) {}

  void begin(Registry& registry) { registry_ = &registry; }
  // REQUIRES: begin() was called.
  Registry& registry() const { return *registry_; }
  bool has_begun() const { return registry_ != nullptr; }

  Time steady() const { return steady_(); }
  // The deadline of a request that is made now.
  Time deadline() const { return steady_() + timeout_; }

  RequestId ask(NamedRemote& remote, Target target, Request what, Time deadline, Completion done);
  void cancel(RequestId id) { under_way_.erase(id); }
  // Runs the callbacks. Answers without a pending request are dropped.
  void answer(std::vector<Answer> answers);
  // Drops all callbacks without calling them.
  void clear();
  std::size_t size() const { return under_way_.size(); }

 private:
  SteadyClock steady_;
  Time timeout_;
  Registry* registry_ = nullptr;
  RequestId last_ = 0;
  std::unordered_map<RequestId, Completion> under_way_;
};

}  // namespace laurel
