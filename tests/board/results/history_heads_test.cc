// Where players' newest results are, compared with a map.
#include "board/results/history_heads.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

namespace laurel {

namespace {

HistoryHead random_head(std::mt19937_64& random) {
  return {.place = random() % (ShortPlace{1} << kShortPlaceBits),
          .number = static_cast<std::uint32_t>(random() % kHistoryNumbers),
          .kept = static_cast<std::uint8_t>(1 + random() % kHistoryMax)};
}

}  // namespace

TEST_CASE("heads and a map of them agree, also if hashes are crowded") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    // Few bits that choose the place: long runs of slots.
    const std::uint64_t mask = seed % 2 == 0 ? ~std::uint64_t{0} : 0x0180'0000'0000'00FF;
    HistoryHeads heads;
    std::map<std::uint64_t, HistoryHead> naive;
    std::vector<std::uint64_t> hashes(1 + random() % 500);
    for (std::uint64_t& hash : hashes) hash = random() & mask;
    for (int step = 0; step < 4000; ++step) {
      const std::uint64_t hash = hashes[random() % hashes.size()];
      if (random() % 3 == 0) {
        heads.erase(hash);
        naive.erase(hash);
      } else {
        const HistoryHead head = random_head(random);
        heads.set(hash, head);
        naive[hash] = head;
      }
      const std::uint64_t asked = hashes[random() % hashes.size()];
      const auto found = naive.find(asked);
      REQUIRE(heads.find(asked) ==
              (found == naive.end() ? std::optional<HistoryHead>() : found->second));
    }
    for (const std::uint64_t hash : hashes)
      REQUIRE(heads.find(hash).has_value() == naive.contains(hash));
  }
}

TEST_CASE("a head takes at most 28 bytes if there are many") {
  std::mt19937_64 random(1);
  HistoryHeads heads;
  for (std::size_t players = 1; players <= 300'000; ++players) {
    heads.set(random(), {.place = players, .number = 0, .kept = 1});
    if (players >= 50'000 && players % 1000 == 0) REQUIRE(heads.bytes() <= 28 * players);
  }
}

TEST_CASE("a short place is found again from any later chunk") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const RecordLog::Place place{random() % (std::uint64_t{1} << 40),
                                 static_cast<std::uint32_t>(random() % RecordLog::kChunkBytes)};
    const std::uint64_t later = random() % (std::uint64_t{1} << 28);
    REQUIRE(full_place(short_place(place), place.chunk + later) == place);
    REQUIRE(full_place(short_place(place), place.chunk) == place);
  }
}

}  // namespace laurel
