#include "live/client/replica.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/snapshots.h"
#include "live/wire/delta.h"

namespace laurel {
namespace {

using test::ladder;

constexpr std::uint64_t kReplicaEpoch = 7;

Window version_of(std::uint64_t version, std::uint64_t epoch = kReplicaEpoch) {
  Window window = ladder(10, epoch, version);
  window.entries[0].score += static_cast<double>(version);
  return window;
}

// A state message with the bytes it points into.
struct Sent {
  std::string body;
  State state;
};

Sent sent(std::uint64_t version, std::uint64_t base = 0, std::uint64_t epoch = kReplicaEpoch) {
  const Window target = version_of(version, epoch);
  const std::string whole = *whole_body(target, 10);
  Sent out;
  out.body = base == 0 ? whole : delta_body(version_of(base, epoch), target, 10);
  out.state = {1,  version, base == 0 ? 0 : version - base, target.size, digest(target, 10, whole),
               10, {}};
  return out;
}

Replica::Taken take(Replica& replica, Sent message) {
  message.state.body = message.body;
  return replica.take(message.state);
}

Replica attached() {
  Replica replica;
  replica.attach(1, kReplicaEpoch);
  return replica;
}

TEST_CASE("a replica holds the newest window and never goes back") {
  Replica replica = attached();
  CHECK_FALSE(replica.ack());
  CHECK(take(replica, sent(5)) == Replica::Taken::news);
  CHECK(take(replica, sent(7, 5)) == Replica::Taken::news);
  CHECK(take(replica, sent(6, 5)) == Replica::Taken::stale);
  CHECK(take(replica, sent(7, 5)) == Replica::Taken::stale);
  CHECK(take(replica, sent(6)) == Replica::Taken::stale);
  REQUIRE(replica.current());
  CHECK(replica.current()->entries == version_of(7).entries);
  CHECK(*replica.ack() == Ack::Held{1, 7, 5});
}

TEST_CASE("a delta may start from any version since the last base that was used") {
  Replica replica = attached();
  take(replica, sent(5));
  for (std::uint64_t version = 6; version < 20; ++version) {
    CHECK(take(replica, sent(version, 5)) == Replica::Taken::news);
  }
  CHECK(take(replica, sent(20, 12)) == Replica::Taken::news);
  CHECK(take(replica, sent(21, 12)) == Replica::Taken::news);
  CHECK(take(replica, sent(22, 11)) == Replica::Taken::useless);  // 12 was used later
  CHECK(replica.current()->version == 21);
}

TEST_CASE("the base in use survives any number of lost acknowledgements") {
  Replica replica = attached();
  take(replica, sent(5));
  for (std::uint64_t version = 6; version < 500; ++version) {
    REQUIRE(take(replica, sent(version, 5)) == Replica::Taken::news);
  }
}

TEST_CASE("a damaged state leaves the replica unchanged") {
  Replica replica = attached();
  take(replica, sent(5));
  Sent damaged = sent(6, 5);
  damaged.state.digest ^= 1;
  CHECK(take(replica, damaged) == Replica::Taken::useless);
  CHECK(replica.current()->version == 5);
  CHECK(take(replica, sent(6, 5)) == Replica::Taken::news);
}

TEST_CASE("after a reconnect the same epoch continues, and another one starts again") {
  Replica replica = attached();
  take(replica, sent(5));
  replica.detach();
  CHECK_FALSE(replica.ack());
  replica.attach(9, kReplicaEpoch);
  CHECK(*replica.ack() == Ack::Held{9, 5, 0});
  CHECK(take(replica, sent(6, 5)) == Replica::Taken::news);

  replica.attach(10, 8);
  CHECK_FALSE(replica.ack());
  CHECK(replica.current()->version == 6);  // shown until something newer comes
  CHECK(take(replica, sent(7, 6, 8)) == Replica::Taken::useless);  // version 6 is not of this epoch
  CHECK(take(replica, sent(3, 0, 8)) == Replica::Taken::news);     // a newer epoch
  CHECK(replica.current()->epoch == 8);
}

}  // namespace
}  // namespace laurel
