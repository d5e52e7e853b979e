#include "web/deadlines.h"

namespace laurel::web {

Timed::~Timed() { set_deadline(std::nullopt); }

void Timed::set_deadline(std::optional<Time> at) {
  if (at == at_) return;
  if (at_) deadlines_.all_.erase({*at_, this});
  at_ = at;
  if (at_) deadlines_.all_.emplace(*at_, this);
}

void Deadlines::run(Time now) {
  while (!all_.empty() && all_.begin()->first <= now) {
    Timed& timed = *all_.begin()->second;
    timed.set_deadline(std::nullopt);
    timed.on_deadline(now);
  }
}

}  // namespace laurel::web
