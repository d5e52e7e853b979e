// What a session makes of packets that are changed, repeated, late or from the other direction.
#include "live/secure/sealed_session.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/limits.h"
#include "live/secure/handshake_fixture.h"

namespace laurel {
namespace {

struct Pair {
  Pair() : Pair(test::Meeting()) {}

  std::string packet(Channel channel, std::string_view sent) {
    std::string out;
    client.seal(channel, sent, out);
    return out;
  }
  bool arrives(Channel channel, std::string_view packet) {
    return server.open(channel, packet, message);
  }

  SealedSession client, server;
  std::string message;  // that arrived last

 private:
  explicit Pair(test::Meeting meeting) : Pair(meeting, meeting.answer(meeting.first).value()) {}
  Pair(test::Meeting& meeting, const ServerAnswer& answer)
      : client(meeting.client.finish(answer.second).value()), server(answer.keys) {}
};

constexpr Channel kBoth[] = {Channel::reliable, Channel::unsequenced};

TEST_CASE("a message of any length arrives as it was, on both channels") {
  Pair pair;
  for (const Channel channel : kBoth) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 63, 64, 65, 250, 1176, 32768}) {
      const std::string sent(size, 'm');
      const std::string packet = pair.packet(channel, sent);
      CHECK(packet.size() <= size + kLiveSealBytes);
      REQUIRE(pair.arrives(channel, packet));
      CHECK(pair.message == sent);
    }
  }
}

TEST_CASE("a packet with any bit flipped is not opened, and the true one still is") {
  Pair pair;
  for (const Channel channel : kBoth) {
    const std::string packet = pair.packet(channel, "a score");
    for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
      std::string changed = packet;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
      CHECK_MESSAGE(!pair.arrives(channel, changed), "bit ", bit);
    }
    for (std::size_t size = 0; size < packet.size(); ++size) {
      CHECK_FALSE(pair.arrives(channel, packet.substr(0, size)));
    }
    CHECK_FALSE(pair.arrives(channel, packet + '\0'));
    CHECK(pair.arrives(channel, packet));
  }
}

TEST_CASE("a packet is opened once") {
  Pair pair;
  for (const Channel channel : kBoth) {
    const std::string packet = pair.packet(channel, "once");
    CHECK(pair.arrives(channel, packet));
    CHECK_FALSE(pair.arrives(channel, packet));
    CHECK(pair.arrives(channel, pair.packet(channel, "next")));
    CHECK_FALSE(pair.arrives(channel, packet));
  }
}

TEST_CASE("packets of the reliable channel are opened in their order only") {
  Pair pair;
  const std::string first = pair.packet(Channel::reliable, "first"),
                    second = pair.packet(Channel::reliable, "second");
  CHECK_FALSE(pair.arrives(Channel::reliable, second));
  CHECK(pair.arrives(Channel::reliable, first));
  CHECK(pair.arrives(Channel::reliable, second));
}

TEST_CASE("a packet is of one channel and one direction") {
  Pair pair;
  for (const Channel channel : kBoth) {
    const Channel other = channel == Channel::reliable ? Channel::unsequenced : Channel::reliable;
    const std::string packet = pair.packet(channel, "mine");
    CHECK_FALSE(pair.arrives(other, packet));
    CHECK_FALSE(pair.client.open(channel, packet, pair.message));
    CHECK(pair.arrives(channel, packet));
  }
}

TEST_CASE("unsequenced packets are opened in any order within the window, each once") {
  const unsigned seed = 20261126;
  CAPTURE(seed);
  std::mt19937 random(seed);
  Pair pair;
  constexpr std::size_t kPackets = 20'000, kApart = 400;
  std::vector<std::pair<std::size_t, std::string>> packets;
  for (std::size_t i = 0; i < kPackets; ++i) {
    packets.emplace_back(i + random() % kApart,
                         pair.packet(Channel::unsequenced, std::to_string(i)));
  }
  std::stable_sort(packets.begin(), packets.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < packets.size(); ++i) {
    REQUIRE(pair.arrives(Channel::unsequenced, packets[i].second));
    REQUIRE_FALSE(pair.arrives(Channel::unsequenced, packets[i - random() % (i + 1)].second));
  }
}

TEST_CASE("an unsequenced packet behind the window is lost") {
  Pair pair;
  std::vector<std::string> packets;
  for (std::size_t i = 0; i < 3 * ReplayWindow::kWidth; ++i) {
    packets.push_back(pair.packet(Channel::unsequenced, "late"));
  }
  CHECK(pair.arrives(Channel::unsequenced, packets.back()));
  CHECK_FALSE(pair.arrives(Channel::unsequenced, packets.front()));
  CHECK_FALSE(pair.arrives(Channel::unsequenced, packets[packets.size() - ReplayWindow::kWidth]));
  CHECK(pair.arrives(Channel::unsequenced, packets[packets.size() - ReplayWindow::kWidth / 2]));
}

TEST_CASE("the window agrees with a set of all numbers seen") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    ReplayWindow window;
    std::vector<bool> seen(1'000'000);
    std::uint64_t newest = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t step = random() % (random() % 50 == 0 ? 5'000 : 200);
      const std::uint64_t number = random() % 4 == 0
                                       ? std::min<std::uint64_t>(newest + step, seen.size() - 1)
                                       : newest - std::min(newest, random() % 1'500);
      const bool late = number + (ReplayWindow::kWidth - 64) < newest + 1;
      REQUIRE(window.is_new(number) == (!late && !seen[number]));
      if (!window.is_new(number)) continue;
      window.take(number);
      seen[number] = true;
      newest = std::max(newest, number);
    }
  }
}

TEST_CASE("only the other side's reason is believed") {
  const Pair pair;
  for (std::uint32_t reason = 1; reason < 256; ++reason) {
    const std::uint32_t sealed = pair.server.seal_reason(reason);
    CHECK(pair.client.open_reason(sealed) == reason);
    CHECK(pair.client.open_reason(reason) == 0);
    CHECK(pair.server.open_reason(sealed) == 0);
    for (int bit = 0; bit < 32; ++bit) CHECK(pair.client.open_reason(sealed ^ 1U << bit) == 0);
  }
  CHECK(pair.server.seal_reason(0) == 0);
  CHECK(pair.client.open_reason(0) == 0);
}

}  // namespace
}  // namespace laurel
