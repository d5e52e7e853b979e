// What is measured of a live channel.
#include "live/server/publisher.h"

namespace laurel {

void Publisher::collect(MetricSet& set) const {
  const ServerStats stats = server_->stats();
  const auto add = [&set](Family family, MetricSet::Labels labels, std::uint64_t count) {
    set.add(family, labels, static_cast<double>(count));
  };
  add(Family::live_clients, {}, stats.clients);
  add(Family::live_subscriptions, {}, stats.subscriptions);
  add(Family::live_sent_bytes, {}, stats.bytes);
  add(Family::live_sent_messages, {}, stats.sent);
  add(Family::live_denied, {}, stats.denied);
  add(Family::live_closed, {"slow"}, stats.closed_for.slow);
  add(Family::live_closed, {"late"}, stats.closed_for.late);
  add(Family::live_closed, {"abuse"}, stats.closed_for.abuse);
  add(Family::live_closed, {"refused"}, stats.closed_for.refused);
  add(Family::live_closed, {"stopped"}, stats.closed_for.stopped);
  add(Family::memory_bytes, {"windows"}, window_bytes_ + followed_.window_bytes());
  add(Family::memory_bytes, {"caches"}, names_ ? names_->bytes() : 0);
}

}  // namespace laurel
