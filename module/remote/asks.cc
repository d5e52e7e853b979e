#include "remote/asks.h"

#include <utility>

namespace laurel {

RequestId Asks::ask(Site& site, Target target, Ask what, Time deadline, Completion done) {
  const RequestId id = ++last_;
  under_way_.emplace(id, std::move(done));
  site.remote->ask({.id = id,
                    .target = std::move(target),
                    .what = std::move(what),
                    .now = registry_->now(),
                    .deadline = deadline});
  return id;
}

void Asks::answer(std::vector<Answer> answers) {
  for (Answer& answer : answers) {
    auto waiting = under_way_.extract(answer.id);
    if (!waiting.empty()) waiting.mapped()(std::move(answer.value));
  }
}

void Asks::clear() {
  // Destroying a completion may cancel other requests.
  const auto ended = std::exchange(under_way_, {});
}

}  // namespace laurel
