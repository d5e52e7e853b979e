#include "live/server/subscription.h"

#include <algorithm>

#include "live/limits.h"

namespace laurel {

namespace {
constexpr double kUpdatesBurst = 2;  // after a late tick the next one may still send

double rate_of(View view, double rate) {
  return view == View::around ? std::min(rate, kLiveAroundRate) : rate;
}
}  // namespace

Subscription::Subscription(std::string board, View view, std::size_t n, double rate, Time now,
                           std::string player)
    : board_(std::move(board)),
      player_(std::move(player)),
      view_(view),
      n_(n),
      bucket_(rate_of(view, rate), kUpdatesBurst, now) {}

void Subscription::attach(StreamPtr stream, std::optional<std::uint64_t> held) {
  detach();
  stream_ = std::move(stream);
  acknowledged_ = held;
}

void Subscription::detach() {
  stream_ = nullptr;
  sent_ = received_ = 0;
  restart();
}

void Subscription::restart() {
  acknowledged_ = in_flight_ = std::nullopt;
  unanswered_ = 0;
  silent_since_ = std::nullopt;
}

void Subscription::set_rate(double per_second, Time now) {
  bucket_.set_rate(rate_of(view_, per_second), now);
}

Subscription::Due Subscription::due(Time now, const Pace& pace) {
  if (!stream_ || (acknowledged_ && *acknowledged_ >= stream_->version())) return Due::nothing;
  const Time silence = silent_since_ ? now - *silent_since_ : 0;
  if (silence >= kLiveSlowAfter) return Due::slow;
  if (in_flight_) return Due::later;
  if (unanswered_ >= kLiveEagerSends) {
    const Time spacing = silence >= kLiveSparseAfter ? kLiveSparseInterval
                                                     : std::max(pace.tick, pace.round_trip / 2);
    // Sends at the tick nearest to the due time, because the game's ticks have jitter.
    if (now - last_sent_ + pace.tick / 2 < spacing) return Due::later;
  }
  return bucket_.take(now) ? Due::send : Due::later;
}

void Subscription::sent(Time now, Channel channel) {
  if (channel == Channel::reliable) in_flight_ = stream_->version();
  if (!silent_since_) silent_since_ = now;
  last_sent_ = now;
  ++unanswered_;
  ++sent_;
}

std::uint32_t Subscription::acknowledge(std::uint64_t version, std::uint32_t received) {
  unanswered_ = 0;
  silent_since_ = std::nullopt;
  if (!acknowledged_ || version > *acknowledged_) acknowledged_ = version;
  if (in_flight_ && version >= *in_flight_) in_flight_ = std::nullopt;
  // Clamped, because an ack of an earlier subscription to the same stream may still arrive.
  const std::uint32_t before = received_;
  received_ = std::max(received_, std::min(received, sent_));
  return received_ - before;
}

}  // namespace laurel
