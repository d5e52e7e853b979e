// The server's side of a board: ring, streams and publication.
#include "live/server/stream.h"

#include <string>

#include <doctest/doctest.h>

#include "live/counting_numbers.h"
#include "live/limits.h"
#include "live/server/publication.h"
#include "live/server/snapshot_ring.h"
#include "live/server/subscription.h"
#include "live/snapshots.h"
#include "live/wire/delta.h"

namespace laurel {
namespace {

using test::CountingNumbers;
using test::entry;
using test::ladder;

Window version_of(std::uint64_t version, double first_score, std::size_t n = 20) {
  Window window = ladder(n, 7, version);
  window.entries[0].score = first_score;
  return window;
}

WindowPtr shared(Window window) { return std::make_shared<const Window>(std::move(window)); }

State decoded(const Stream::Encoded& encoded) {
  return std::get<State>(*decode_server(*encoded.bytes, encoded.channel));
}

TEST_CASE("a ring finds the last thirty-two windows and forgets older ones") {
  WindowRing ring(kLiveWindowsKept);
  for (std::uint64_t version = 10; version < 110; version += 2) {
    const auto window = std::make_shared<const EncodedWindow>(ladder(1), kLiveTopMax);
    ring.push({window, version});
    CHECK(ring.newest().window == window);
    CHECK(ring.newest().version == version);
    CHECK(ring.find(version) == window);
  }
  CHECK_FALSE(ring.find(108 - 2 * kLiveWindowsKept));
  CHECK(ring.find(108 - 2 * (kLiveWindowsKept - 1)));
  CHECK_FALSE(ring.find(107));
  CHECK(ring.find(108));
}

TEST_CASE("a message is encoded once for each base, and again when the stream has moved on") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(1, 2e6)), numbers);
  const StreamPtr stream = publication.stream(1, 10);
  std::uint64_t encodings = 0;
  const MessagePtr whole = stream->message(std::nullopt, encodings).bytes;
  CHECK(stream->message(std::nullopt, encodings).bytes == whole);
  CHECK(encodings == 1);
  publication.push(shared(version_of(2, 3e6)));
  const State delta = decoded(stream->message(1, encodings));
  CHECK(delta.version == 2);
  CHECK(delta.back == 1);
  stream->message(1, encodings);
  CHECK(encodings == 2);
  // If the base is no longer kept, the whole window is sent.
  CHECK(decoded(stream->message(77, encodings)).back == 0);
}

TEST_CASE("a stream moves on only if its own cut has changed") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(1, 2e6)), numbers);
  const StreamPtr five = publication.stream(1, 5), twenty = publication.stream(1, 20);
  for (std::uint64_t version = 2; version < 100; ++version) {
    Window window = version_of(version, 2e6);
    window.entries[15].score += static_cast<double>(version);
    CHECK(publication.push(shared(window)) == Publication::News::version);
    CHECK(five->version() == 1);
    CHECK(twenty->version() == version);
  }
  // Version 1 has left the ring, but is still a base for clients that follow the first five.
  publication.push(shared(version_of(100, 3e6)));
  std::uint64_t encodings = 0;
  CHECK(decoded(five->message(1, encodings)).back == 99);
  CHECK(decoded(twenty->message(1, encodings)).back == 0);
}

TEST_CASE("a state too large for a datagram is sent reliably") {
  CountingNumbers numbers;
  Window window = ladder(100, 7, 1);
  Publication publication(shared(window), numbers);
  const StreamPtr stream = publication.stream(1, 100);
  std::uint64_t encodings = 0;
  CHECK(stream->message(std::nullopt, encodings).channel == Channel::reliable);
  window.version = 2;
  for (WindowEntry& one : window.entries) one.score += 1;
  publication.push(shared(window));
  const Stream::Encoded& rescored = stream->message(1, encodings);
  CHECK(decoded(rescored).back == 1);
  CHECK(rescored.bytes->size() <= kLiveDatagramBytesMax);  // ten bytes per entry
  CHECK(rescored.channel == Channel::unsequenced);
}

TEST_CASE("the same window posted again changes nothing, even under a new version") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(5, 2e6)), numbers);
  const StreamPtr stream = publication.stream(1, 10);
  CHECK(publication.push(shared(version_of(5, 2e6))) == Publication::News::none);
  CHECK(publication.push(shared(version_of(9, 2e6))) == Publication::News::none);
  CHECK(stream->version() == 5);
}

TEST_CASE("another window under a used version is sent under the next version") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(5, 2e6)), numbers);
  const StreamPtr stream = publication.stream(1, 10);
  Window renamed = version_of(5, 2e6);
  renamed.entries[0].name = "Ada";
  CHECK(publication.push(shared(renamed)) == Publication::News::version);
  CHECK(stream->version() == 6);
  CHECK(publication.push(shared(version_of(6, 3e6))) == Publication::News::version);
  CHECK(stream->version() == 7);
  CHECK(publication.push(shared(version_of(20, 4e6))) == Publication::News::version);
  CHECK(stream->version() == 20);
}

TEST_CASE("a new epoch of the board is a new epoch of the channel, with new streams") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(5, 2e6)), numbers);
  const std::uint64_t epoch = publication.epoch();
  const StreamPtr before = publication.stream(1, 10);
  Window other = version_of(5, 2e6);
  other.epoch = 8;
  CHECK(publication.push(shared(other)) == Publication::News::epoch);
  CHECK(publication.epoch() != epoch);
  CHECK(publication.stream(1, 10)->number() != before->number());
}

TEST_CASE("a top that does not fit into one message is cut to what fits") {
  CountingNumbers numbers;
  Window window = ladder(150, 7, 1);
  Publication hundred(shared(window), numbers);
  std::uint64_t encodings = 0;
  const auto count = [&](Publication& of, std::uint8_t version) {
    return decoded(of.stream(version, 100)->message(std::nullopt, encodings)).count;
  };
  CHECK(count(hundred, 1) == 100);
  CHECK_FALSE(hundred.take_cut());
  for (WindowEntry& one : window.entries) one.data = std::string(kDataBytesMax, 'd');
  Publication fewer(shared(window), numbers);
  CHECK(count(fewer, 1) == 31);
  CHECK(fewer.take_cut() == 31);
  CHECK_FALSE(fewer.take_cut());
}

TEST_CASE("a window is encoded only for the versions of the protocol that have subscribers") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(1, 2e6)), numbers);
  CHECK(publication.push(shared(version_of(2, 3e6))) == Publication::News::none);
  StreamPtr first = publication.stream(1, 10);
  CHECK(publication.push(shared(version_of(3, 4e6))) == Publication::News::version);
  CHECK(first->version() == 3);
  // An edition that begins later knows the versions since then.
  const StreamPtr second = publication.stream(2, 10);
  CHECK(second->version() == 3);
  CHECK(second->epoch() == first->epoch());
  CHECK(second->number() != first->number());
  CHECK(publication.push(shared(version_of(4, 5e6))) == Publication::News::version);
  CHECK(first->version() == 4);
  CHECK(second->version() == 4);
  // Without subscribers it misses windows, and continues from those that it has.
  first = nullptr;
  publication.push(shared(version_of(5, 6e6)));
  publication.push(shared(version_of(6, 7e6)));
  first = publication.stream(1, 10);
  CHECK(first->version() == 6);
  std::uint64_t encodings = 0;
  CHECK(decoded(first->message(4, encodings)).back == 2);
  CHECK(decoded(first->message(5, encodings)).back == 0);
}

TEST_CASE("what only version 2 shows is no news to subscribers of version 1") {
  CountingNumbers numbers;
  Window window = version_of(1, 2e6);
  Publication publication(shared(window), numbers);
  const StreamPtr first = publication.stream(1, 10), second = publication.stream(2, 10);
  window.version = 2;
  window.entries[3].rank_change = 2;
  CHECK(publication.push(shared(window)) == Publication::News::version);
  CHECK(first->version() == 1);
  CHECK(second->version() == 2);
  window.version = 3;
  window.entries[4].score += 1;
  publication.push(shared(window));
  CHECK(first->version() == 3);
  CHECK(second->version() == 3);
}

TEST_CASE("a board with fractional ranks is not shown in version 1, and begins an epoch") {
  CountingNumbers numbers;
  Window window = version_of(1, 2e6);
  Publication publication(shared(window), numbers);
  const std::uint64_t epoch = publication.epoch();
  CHECK(publication.is_shown_in(1));
  window.version = 2;
  window.half_ranks = true;
  CHECK(publication.push(shared(window)) == Publication::News::epoch);
  CHECK(publication.epoch() != epoch);
  CHECK_FALSE(publication.is_shown_in(1));
  CHECK(publication.is_shown_in(2));
  window.version = 3;
  window.half_ranks = false;
  CHECK(publication.push(shared(window)) == Publication::News::epoch);
  CHECK(publication.is_shown_in(1));
}

TEST_CASE("an unanswered state is sent again at the nearest tick, even if the ticks jitter") {
  CountingNumbers numbers;
  Publication publication(shared(version_of(1, 2e6)), numbers);
  constexpr Time kBeat = 50'000;
  constexpr Time kWavers = 4'000;
  for (const int ticks : {1, 2, 4}) {  // between two sends: half a round trip
    CAPTURE(ticks);
    Subscription subscription("kills", View::top, 10, 20, 0);
    subscription.attach(publication.stream(1, 10), std::nullopt);
    for (int i = 0; i < kLiveEagerSends + 5 * ticks; ++i) {
      CAPTURE(i);
      const Time now = i * kBeat + (i % 2 == 0 ? kWavers : 0);
      const bool wanted = i < kLiveEagerSends || (i - (kLiveEagerSends - 1)) % ticks == 0;
      const auto due = subscription.due(now, {kBeat, 2 * ticks * kBeat});
      CHECK((due == Subscription::Due::send) == wanted);
      if (due == Subscription::Due::send) subscription.sent(now, Channel::unsequenced);
    }
  }
}

}  // namespace
}  // namespace laurel
