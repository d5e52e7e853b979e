#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "entries.h"
#include "every_store.h"
#include "store/store.h"

namespace laurel {

namespace {

// The keys and values of one history. There are so few keys that writes often meet existing
// entries.
class Choices {
 public:
  explicit Choices(unsigned seed) : random_(seed), keys_(seed % 3 == 0 ? 100 : 3000) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  // Keys that are easily confused: short ones with unusual bytes, numbers, long common prefixes.
  std::string key() {
    const std::size_t number = below(keys_);
    switch (number % 4) {
      case 0: return awkward(number / 4);
      case 1: return fmt::format("SCORE#{:010}#p{}", number, number % 7);
      case 2: return std::string(kStoreKeyBytesMax - 6, 'k') + fmt::format("{:06}", number);
      default: return std::string(number % 90 + 1, 'a') + fmt::format("{}", number);
    }
  }

  std::string value() {
    const std::size_t kind = below(100);
    std::size_t length = below(40);
    if (kind < 10) length = 250 + below(12);
    if (kind < 5) length = 0;
    if (kind < 2) length = below(3000);
    if (kind == 0 && below(10) == 0) length = kStoreValueBytesMax - below(2);
    return std::string(length, static_cast<char>(below(256)));
  }

 private:
  static std::string awkward(std::size_t number) {
    constexpr char kBytes[] = {'\0', '\x01', 'a', '\x7f', '\x80', '\xff'};
    std::string key;
    for (std::size_t rest = number + 1; rest > 0; rest /= 6) key += kBytes[rest % 6];
    return key;
  }

  std::mt19937_64 random_;
  std::size_t keys_;
};

void write_some(Store& store, Map& map, Choices& choices, bool shrinks) {
  Batch batch;
  for (std::size_t left = choices.below(20); left > 0; --left) {
    const std::string key = choices.key();
    if (choices.below(10) < (shrinks ? 8U : 3U)) {
      batch.erase(key);
      map.erase(key);
    } else {
      const std::string value = choices.value();
      batch.put(key, value);
      map.insert_or_assign(key, value);
    }
  }
  store.write(batch);
}

// Compares all answers: all entries in both directions, and around random keys.
void compare(const Reader& reader, const Map& map, Choices& choices) {
  REQUIRE(count(reader) == map.size());
  const auto cursor = reader.cursor();
  bool stands = cursor->seek("");
  for (const auto& [key, value] : map) {
    REQUIRE(stands);
    REQUIRE(cursor->key() == key);
    REQUIRE(cursor->value() == value);
    REQUIRE(reader.get(key) == value);
    stands = cursor->next();
  }
  REQUIRE_FALSE(stands);

  stands = !map.empty() && cursor->seek(map.rbegin()->first);
  for (auto entry = map.rbegin(); entry != map.rend(); ++entry) {
    REQUIRE(stands);
    REQUIRE(cursor->key() == entry->first);
    stands = cursor->previous();
  }
  REQUIRE_FALSE(stands);

  for (int i = 0; i < 50; ++i) {
    const std::string key = choices.key() + (i % 2 == 0 ? "" : "\x01");
    CAPTURE(key);
    const auto behind = map.lower_bound(key);
    REQUIRE(reader.get(key).has_value() == (behind != map.end() && behind->first == key));
    REQUIRE(cursor->seek(key) == (behind != map.end()));
    if (behind != map.end()) REQUIRE(cursor->key() == behind->first);
    REQUIRE(cursor->seek_before(key) == (behind != map.begin()));
    if (behind != map.begin()) REQUIRE(cursor->key() == std::prev(behind)->first);
  }
}

struct Moment {
  std::shared_ptr<const Reader> snapshot;
  Map map;
};

}  // namespace

TEST_CASE("a store and its snapshots agree with maps over random histories") {
  every_store([](Store& store) {
    Map map;
    const unsigned seeds = store.is_durable() ? 3 : 12;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      CAPTURE(seed);
      Choices choices(seed);
      std::vector<Moment> moments;
      for (int step = 0; step < 600; ++step) {
        CAPTURE(step);
        write_some(store, map, choices, seed % 2 == 1);
        if (choices.below(30) == 0) moments.push_back({store.snapshot(), map});
        if (moments.size() > 5) {
          const std::size_t chosen = choices.below(moments.size());
          compare(*moments[chosen].snapshot, moments[chosen].map, choices);
          moments.erase(moments.begin() + static_cast<std::ptrdiff_t>(chosen));
        }
        if (step % 100 == 99) compare(store, map, choices);
      }
      for (const Moment& moment : moments) compare(*moment.snapshot, moment.map, choices);
    }
  });
}

TEST_CASE("an emptied store works like a new one") {
  every_store([](Store& store) {
    Map map;
    Choices choices(0);
    for (int round = 0; round < 3; ++round) {
      CAPTURE(round);
      for (int step = 0; step < 100; ++step) write_some(store, map, choices, false);
      compare(store, map, choices);
      Batch batch;
      for (const auto& [key, value] : map) batch.erase(key);
      store.write(batch);
      map.clear();
      compare(store, map, choices);
    }
  });
}

}  // namespace laurel
