#include "profile/ulid.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

namespace {

constexpr Time kNow = 1'469'918'176'385 * kMillisecond;  // the example of the ULID specification

Ulids ulids_of(std::uint64_t seed) {
  return Ulids([random = std::mt19937_64(seed)](std::span<std::byte> out) mutable {
    for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  });
}

Ulids ulids_of_all(std::byte value) {
  return Ulids([value](std::span<std::byte> out) { std::fill(out.begin(), out.end(), value); });
}

}  // namespace

TEST_CASE("the example of the specification is generated from its time and random bits") {
  constexpr std::array<unsigned char, 10> kRandom = {0xD6, 0x76, 0x4C, 0x61, 0xEF,
                                                     0xB9, 0x93, 0x02, 0xBD, 0x5B};
  Ulids ulids([&](std::span<std::byte> out) {
    REQUIRE(out.size() == kRandom.size());
    std::transform(kRandom.begin(), kRandom.end(), out.begin(),
                   [](unsigned char byte) { return static_cast<std::byte>(byte); });
  });
  CHECK(ulids.of(kNow) == "01ARYZ6S41TSV4RRFFQ69G5FAV");
  CHECK(ulids.next(kNow) == "01ARYZ6S41TSV4RRFFQ69G5FAV");
}

TEST_CASE("ids of later milliseconds sort behind earlier ones") {
  Ulids ulids = ulids_of(1);
  std::string before = ulids.of(0);
  for (const Time at : {kMillisecond, 2 * kMillisecond, kNow, kNow + kMillisecond, 2 * kNow,
                        Time{8589934592} * kSecond}) {
    const std::string id = ulids.of(at);
    CHECK(is_ulid(id));
    CHECK(before < id);
    before = id;
  }
}

TEST_CASE("ids of next sort in the order of the calls, also when the clock goes back") {
  const std::uint64_t seed = 7;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Ulids ulids = ulids_of(seed);
  Time now = kNow;
  std::string before;
  for (int i = 0; i < 10'000; ++i) {
    now += static_cast<Time>(random() % 5000) - 2400;
    const std::string id = ulids.next(now);
    REQUIRE(is_ulid(id));
    REQUIRE(before < id);
    before = id;
  }
}

TEST_CASE("the next id of the same millisecond is the last one plus one") {
  Ulids ulids = ulids_of_all(std::byte{0});
  CHECK(ulids.next(kNow) == "01ARYZ6S410000000000000000");
  CHECK(ulids.next(kNow + 999) == "01ARYZ6S410000000000000001");
  CHECK(ulids.next(kNow - kSecond) == "01ARYZ6S410000000000000002");
  CHECK(ulids.next(kNow + kMillisecond) == "01ARYZ6S420000000000000000");
}

TEST_CASE("ids continue in the next millisecond when the random bits overflow") {
  Ulids ulids = ulids_of_all(std::byte{0xFF});
  CHECK(ulids.next(kNow) == "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
  CHECK(ulids.next(kNow) == "01ARYZ6S420000000000000000");
  CHECK(ulids.next(kNow + kMillisecond) == "01ARYZ6S420000000000000001");
}

TEST_CASE("an id with a given time does not affect the ids of next") {
  Ulids ulids = ulids_of_all(std::byte{0});
  CHECK(ulids.next(kNow) == "01ARYZ6S410000000000000000");
  CHECK(ulids.of(2 * kNow) > ulids.of(kNow));
  CHECK(ulids.next(kNow) == "01ARYZ6S410000000000000001");
}

TEST_CASE("ids of times before 1970 have the time 0") {
  Ulids ulids = ulids_of_all(std::byte{0});
  CHECK(ulids.of(-kNow) == "00000000000000000000000000");
  CHECK(ulids.next(-kNow) == "00000000000000000000000000");
  CHECK(ulids.next(-kNow) == "00000000000000000000000001");
}

TEST_CASE("the first id of next is random for any time") {
  CHECK(ulids_of(1).next(0) != ulids_of(2).next(0));
  CHECK(Ulids().next(kNow) != Ulids().next(kNow));  // with the system's generator
}

TEST_CASE("a ULID has 26 digits and upper-case letters and at most 128 bits") {
  CHECK(is_ulid("01ARYZ6S41TSV4RRFFQ69G5FAV"));
  CHECK(is_ulid("00000000000000000000000000"));
  CHECK(is_ulid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
  CHECK_FALSE(is_ulid("80000000000000000000000000"));
  CHECK_FALSE(is_ulid(""));
  CHECK_FALSE(is_ulid("01ARYZ6S41TSV4RRFFQ69G5FA"));
  CHECK_FALSE(is_ulid("01ARYZ6S41TSV4RRFFQ69G5FAVX"));
  CHECK_FALSE(is_ulid("01aryz6s41tsv4rrffq69g5fav"));
  for (const char other : {'I', 'L', 'O', 'U', '#', '\0', ' ', '\xC3'}) {
    std::string text = "01ARYZ6S41TSV4RRFFQ69G5FAV";
    text[9] = other;
    CAPTURE(text);
    CHECK_FALSE(is_ulid(text));
  }
}

}  // namespace laurel
