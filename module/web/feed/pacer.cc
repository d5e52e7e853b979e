#include "web/feed/pacer.h"

#include <algorithm>

namespace laurel::web {

void Pacer::changed(Topic& topic) {
  switch (topic.pace_) {
    case Topic::Pace::rests:
      topic.pace_ = Topic::Pace::waits;
      waiting_.emplace(topic.next_pass_at_, &topic);
      return;
    case Topic::Pace::waits: return;
    case Topic::Pace::runs: topic.again_ = true; return;
  }
}

void Pacer::forget(Topic& topic) {
  waiting_.erase({topic.next_pass_at_, &topic});
  std::erase(running_, &topic);
}

std::optional<Time> Pacer::next() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

void Pacer::begin_due(Time now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    Topic& topic = *waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    topic.pace_ = Topic::Pace::runs;
    topic.again_ = false;
    topic.cursor_ = 0;
    topic.pass_at_ = now;
    topic.next_pass_at_ = now + interval_;
    running_.push_back(&topic);
  }
}

void Pacer::end(Topic& topic) {
  running_.pop_front();
  topic.pace_ = Topic::Pace::rests;
  if (topic.again_) changed(topic);
}

bool Pacer::run(Time now, std::size_t viewers) {
  constexpr std::size_t kTurn = 64;
  begin_due(now);
  while (!running_.empty() && viewers > 0) {
    Topic& topic = *running_.front();
    std::size_t turn = std::min(kTurn, viewers);
    viewers -= turn;
    // A viewer that is offered a state may leave, and the last one may end the topic.
    while (turn > 0 && !running_.empty() && running_.front() == &topic &&
           topic.cursor_ < topic.viewers_.size()) {
      const Topic::Place place = topic.viewers_[topic.cursor_++];
      place.viewer->offer(place.part, topic.pass_at_);
      --turn;
    }
    if (running_.empty() || running_.front() != &topic) continue;
    if (topic.cursor_ >= topic.viewers_.size()) {
      end(topic);
    } else if (running_.size() > 1) {
      running_.pop_front();
      running_.push_back(&topic);
    }
  }
  return !running_.empty();
}

}  // namespace laurel::web
