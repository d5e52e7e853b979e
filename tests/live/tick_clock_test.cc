// When a server ticks, beside a game that ticks at another pace.
#include "live/server/tick_clock.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {
namespace {

constexpr Time kInterval = 50'000;

// The times between the ticks that send a post, of a game that posts so often, over a minute.
std::vector<Time> gaps(Time game_tick) {
  TickClock clock(kInterval);
  std::vector<Time> found;
  Time last = 0;
  bool has_posts = false;
  for (Time now = kSecond; now < 61 * kSecond; now += 100) {
    has_posts = has_posts || (now - kSecond) % game_tick == 0;
    if (now < clock.next(has_posts)) continue;
    clock.ticked(now, has_posts);
    if (!std::exchange(has_posts, false)) continue;
    if (last != 0) found.push_back(now - last);
    last = now;
  }
  return found;
}

TEST_CASE("a game that ticks more often than the server uses its rate evenly") {
  for (const Time game_tick : {1000, 5000, 10'900, 16'700, 33'300}) {
    CAPTURE(game_tick);
    const std::vector<Time> found = gaps(game_tick);
    CHECK(found.size() > 1150);
    CHECK(found.size() <= 1200);
    for (const Time gap : found) {
      CHECK(gap >= kInterval - kInterval / 8);
      CHECK(gap <= kInterval + kInterval / 8 + 100);
    }
  }
}

TEST_CASE("posts of a game at the server's pace are sent at once") {
  for (const Time game_tick : {47'000, 50'000, 52'000, 100'000}) {
    CAPTURE(game_tick);
    const std::vector<Time> found = gaps(game_tick);
    for (const Time gap : found) CHECK(gap <= std::max(game_tick, kInterval) + 100);
  }
}

}  // namespace
}  // namespace laurel
