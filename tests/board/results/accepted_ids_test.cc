// The ids of accepted results, against a list of all of them, and their memory.
#include "board/results/accepted_ids.h"

#include <map>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "folder.h"
#include "long_form.h"
#include "store/durable/durable_store.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

struct Kept {
  std::unique_ptr<Store> store = make_memory_store();
  Players players{HashSecret::fixed(1)};
  SpaceNumber last_space = 10;
  EngineReads reads;
  AcceptedIds ids{EngineContext{players, *store, last_space, reads}, Space(*store, 3)};

  bool has(const std::string& id, Time now) { return ids.has(ids.hash(id), now); }
  bool accept(const std::string& id, Time now) {
    const IdHash hash = ids.hash(id);
    if (ids.has(hash, now)) return false;
    ids.add(hash, now);
    return true;
  }
};

std::string name(std::size_t number) { return "match " + std::to_string(number); }

}  // namespace

TEST_CASE("accepted ids and a list of them agree, whatever the clock does") {
  for (std::uint64_t seed = 0; seed < short_or_long(25U, 60U); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Kept kept;
    struct Accepted {
      Time at = 0;
      bool may_be_gone = false;  // it was too old once, before the clock went back
    };
    std::map<std::string, Accepted> naive;
    Time now = 1'000'000 * kSecond;
    const std::size_t different = 1 + random() % 3000;
    for (int i = 0; i < 4000; ++i) {
      switch (random() % 400) {
        case 0: now += static_cast<Time>(random() % 40) * 3600 * kSecond; break;
        case 1: now -= static_cast<Time>(random() % 40) * 3600 * kSecond; break;
        default: now += static_cast<Time>(random() % 100) * AcceptedIds::kKept / 3000; break;
      }
      for (auto& [id, each] : naive) {
        each.may_be_gone = each.may_be_gone || now >= each.at + AcceptedIds::kKept;
      }
      const std::string id = name(random() % different);
      const auto found = naive.find(id);
      const bool is_kept = found != naive.end() && now < found->second.at + AcceptedIds::kKept;
      CAPTURE(i);
      const bool accepted = kept.accept(id, now);
      if (!is_kept || !found->second.may_be_gone) REQUIRE(accepted != is_kept);
      if (accepted) naive[id] = {now, false};
    }
  }
}

TEST_CASE("of a million ids the oldest goes when one more comes") {
  Kept kept;
  for (std::size_t i = 0; i < kResultIdsMax; ++i)
    REQUIRE(kept.accept(name(i), static_cast<Time>(i)));
  REQUIRE(kept.ids.size() == kResultIdsMax);
  REQUIRE(kept.has(name(0), 0));
  for (std::size_t more = 0; more < 300'000; ++more) {
    const Time now = static_cast<Time>(kResultIdsMax + more);
    REQUIRE(kept.accept(name(kResultIdsMax + more), now));
    REQUIRE(!kept.has(name(more), now));
    REQUIRE(kept.has(name(more + 1), now));
  }
  REQUIRE(kept.ids.size() == kResultIdsMax);
}

TEST_CASE("an id takes at most 24 bytes, and old ones give their memory back") {
  Kept kept;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < kResultIdsMax; ++i) {
    kept.accept(name(i), 0);
    if (i < 100'000 || i % 1000 != 0) continue;
    worst = std::max(worst, kept.ids.bytes() * 1000 / (i + 1));
  }
  CAPTURE(worst);
  CHECK(worst <= 24'000);
  CHECK(kept.ids.bytes() <= 24 * kResultIdsMax);
  for (std::size_t i = 0; i < kResultIdsMax / kResultIdsPerCall; ++i) {
    kept.ids.drop_old(AcceptedIds::kKept);
  }
  CHECK(kept.ids.size() == 0);
  CHECK(kept.ids.bytes() < 200'000);
  CHECK(kept.accept(name(0), AcceptedIds::kKept));
}

TEST_CASE("ids of a clock that jumps back and forth by days are bounded") {
  Kept kept;
  for (std::size_t i = 0; i < 20'000; ++i) {
    const Time now = static_cast<Time>(i % 2) * 2 * AcceptedIds::kKept + static_cast<Time>(i);
    REQUIRE(kept.accept(name(i), now));
    REQUIRE(!kept.accept(name(i), now));
  }
  CHECK(kept.ids.size() > 8'000);
  CHECK(kept.ids.bytes() < 24 * kResultIdsMax);
}

TEST_CASE("ids outlast openings, and the log of those that went is dropped") {
  const test::Folder folder("ids");
  for (int opening = 0; opening < 4; ++opening) {
    auto store = DurableStore::open({.path = folder / "store", .durability = Durability::none},
                                    Log([](Level, std::string_view) {}));
    REQUIRE(store);
    Players players{HashSecret::random()};
    SpaceNumber last_space = 10;
    EngineReads reads;
    AcceptedIds ids{EngineContext{players, **store, last_space, reads}, Space(**store, 3)};
    const Time now = opening * AcceptedIds::kKept / 2;
    if (opening > 0) REQUIRE(ids.load([](std::size_t) {}));
    for (std::size_t i = 0; i < 2000; ++i) {
      // Ids of the opening before are known; older ones are too old.
      const auto has = [&](int accepted) {
        return ids.has(ids.hash(fmt::format("{} {}", accepted, i)), now);
      };
      REQUIRE(has(opening - 1) == (opening > 0));
      REQUIRE(!has(opening - 2));
      ids.add(ids.hash(fmt::format("{} {}", opening, i)), now);
      if (i == 1000) (*store)->begin_commit();
    }
    CHECK(ids.size() <= 4000);
    REQUIRE((*store)->flush());
    std::size_t chunks = 0;
    const std::unique_ptr<Cursor> at = Space(**store, *ids.space()).cursor();
    for (bool on = at->seek({}); on; on = at->next()) ++chunks;
    CHECK(chunks <= ids.size() / 185 + 2);
  }
}

}  // namespace laurel
