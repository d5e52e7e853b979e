#include "remote/core/pending_requests.h"

#include <utility>

namespace laurel {

RequestId PendingRequests::ask(NamedRemote& remote, Target target, Request what, Time deadline,
                               Completion done) {
  const RequestId id = ++last_;
  under_way_.emplace(id, std::move(done));
  remote.backend->ask({.id = id,
                       .target = std::move(target),
                       .what = std::move(what),
                       .now = registry_->now(),
                       .deadline = deadline});
  return id;
}

void PendingRequests::answer(std::vector<Answer> answers) {
  for (Answer& answer : answers) {
    auto waiting = under_way_.extract(answer.id);
    if (!waiting.empty()) waiting.mapped()(std::move(answer.value));
  }
}

void PendingRequests::clear() {
  // Destroying a completion may cancel other requests.
  const auto ended = std::exchange(under_way_, {});
}

}  // namespace laurel
