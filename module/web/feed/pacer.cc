#include "web/feed/pacer.h"

#include <algorithm>

#include "web/http/limits.h"

namespace laurel::web {

void Pacer::changed(Topic& topic) {
  topic.period_ = now_ - topic.changed_at_;
  topic.changed_at_ = now_;
  topic.changed_in_ = runs_;
  if (!topic.is_held_) return again(topic);
  waiting_.erase({topic.next_pass_at_, &topic});
  wait(topic, now_);
}

void Pacer::again(Topic& topic) {
  switch (topic.pace_) {
    case Topic::Pace::rests: return wait(topic, topic.next_pass_at_);
    case Topic::Pace::waits: return;
    case Topic::Pace::runs: topic.again_ = true; return;
  }
}

void Pacer::wait(Topic& topic, Time until) {
  topic.pace_ = Topic::Pace::waits;
  topic.next_pass_at_ = until;
  waiting_.emplace(until, &topic);
}

// Holds the pass back if another state is expected soon. A pass is held once.
bool Pacer::hold(Topic& topic, Time now) {
  if (topic.is_held_ || topic.changed_in_ == runs_) return false;
  const Time expected = topic.changed_at_ + topic.period_;
  const Time until = expected + std::min(kStateLate, topic.period_ / 4);
  if (now >= until || expected - now > std::min(interval_, topic.period_) / 2) return false;
  topic.is_held_ = true;
  wait(topic, until);
  return true;
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
    if (hold(topic, now)) continue;
    topic.is_held_ = false;
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
  if (topic.again_) again(topic);
}

bool Pacer::run(Time now, std::size_t viewers) {
  constexpr std::size_t kTurn = 64;
  now_ = now;
  begin_due(now);
  ++runs_;
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
