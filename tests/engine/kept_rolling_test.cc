// Loading a rolling board after the clock has changed.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "rolling_fixture.h"
#include "store/kept_store.h"

namespace laurel {

namespace {

constexpr Bucket kToday = 18281;

// Processes that successively use the stored rows of one board.
struct Kept {
  explicit Kept(int buckets = 7) : spec(rolling_spec(buckets)) { open(kToday); }

  Rolling& open(Bucket today) {
    board.reset();
    board = std::make_unique<Rolling>(spec, today, store);
    board->engine.check();
    return *board;
  }
  bool keeps(std::string_view id) const {
    return store->get(std::string("s\0\0\0\0\0\0\0\1", Space::kPrefixBytes).append(id)).has_value();
  }

  EngineSpec spec;
  std::shared_ptr<KeptStore> store = std::make_shared<KeptStore>();
  std::unique_ptr<Rolling> board;
};

}  // namespace

TEST_CASE("a loaded rolling board has its sums, moments and data") {
  Kept kept;
  kept.board->add("alice", kToday - 3, 5, "car");
  kept.board->add("alice", kToday, 7);
  kept.board->add("bob", kToday - 1, 12, std::string(900, 'b'));
  kept.board->add("carol", kToday, -4);
  Arena arena;
  const auto before = kept.board->engine.find(kept.board->player("alice"), arena).value();
  Rolling& board = kept.open(kToday);
  CHECK(board.table() == "bob 12, alice 12");
  const auto alice = board.engine.find(board.player("alice"), arena).value();
  CHECK(alice.at == before.at);
  CHECK(alice.data == "car");
  CHECK(board.forward("alice", 8) == "12 12 12 12 7 7 7 -");
  CHECK(board.engine.sum(board.player("carol")) == board.key(-4));
}

TEST_CASE("loading with a later clock drops what no longer counts") {
  Kept kept;
  kept.board->add("alice", kToday - 5, 5);
  kept.board->add("bob", kToday - 5, 2);
  kept.board->add("bob", kToday, 3);
  CHECK(kept.open(kToday + 2).table() == "bob 3");
  CHECK(!kept.keeps("alice"));
  CHECK(kept.board->players.size() == 1);
  CHECK(kept.open(kToday + 6).table() == "bob 3");
  CHECK(kept.open(kToday + 7).table().empty());
  CHECK(kept.store->size() == 0);
}

TEST_CASE("loading with a clock that is behind by at most a window loses nothing") {
  for (const Bucket back : {1, 3, 7}) {
    CAPTURE(back);
    Kept kept;
    kept.board->add("alice", kToday - 6, 5);
    kept.board->add("bob", kToday, 3);
    Rolling& board = kept.open(kToday - back);
    CHECK(board.engine.running() == kToday);
    CHECK(board.table() == "alice 5, bob 3");
    CHECK(board.turn(kToday - back) == Advance::behind);
    CHECK(board.turn(kToday) == Advance::none);
    CHECK(board.turn(kToday + 1) == Advance::next);
    CHECK(board.table() == "bob 3");
  }
}

TEST_CASE("loading with a clock that is farther behind gives an empty board") {
  Kept kept;
  kept.board->add("alice", kToday - 6, 5);
  kept.board->add("bob", kToday, 3);
  Rolling& board = kept.open(kToday - 8);
  CHECK(board.engine.running() == kToday - 8);
  CHECK(board.table().empty());
  CHECK(kept.store->size() == 0);
  board.add("carol", kToday - 8, 2);
  CHECK(kept.open(kToday - 8).table() == "carol 2");
}

TEST_CASE("activity that was discarded when a board began again is not loaded") {
  Kept kept;
  for (int i = 0; i < 300; ++i) kept.board->add(fmt::format("p{}", i), kToday - 6, 5);
  kept.board->add("bob", kToday - 6, 3);
  kept.board->add("carol", kToday, 3);
  // Bob's activity would count again on the day to which the clock is set.
  CHECK(kept.board->turn(kToday - 8) == Advance::restart);
  kept.board->add("bob", kToday - 8, 1);
  CHECK(kept.store->size() > 200);  // most rows are not freed yet
  CHECK(kept.open(kToday - 8).table() == "bob 1");
  // With the row that holds the number of times that the board began again.
  CHECK(kept.store->size() == 2);
  for (int i = 0; i < 10; ++i) kept.board->turn(kToday - 8);
  CHECK(kept.open(kToday - 8).table() == "bob 1");
}

TEST_CASE("rows of a board that began again are erased as their players are freed") {
  Kept kept;
  for (int i = 0; i < 300; ++i) kept.board->add(fmt::format("p{}", i), kToday, 5);
  kept.board->turn(kToday - 8);
  kept.board->add("p7", kToday - 8, 4);
  for (int i = 0; i < 40; ++i) kept.board->turn(kToday - 8);
  CHECK(kept.board->players.size() == 1);
  CHECK(kept.keeps("p7"));
  CHECK(kept.store->size() == 2);
}

TEST_CASE("a player that falls out of the window is also erased from the store") {
  Kept kept;
  for (int i = 0; i < 300; ++i) kept.board->add(fmt::format("p{}", i), kToday, 5);
  kept.board->turn(kToday + 7);
  CHECK(kept.board->table().empty());
  for (int i = 0; i < 40; ++i) kept.board->turn(kToday + 7);
  CHECK(kept.store->size() == 0);
}

TEST_CASE("unchanged activity is not written, and a dismantled board leaves no rows") {
  Kept kept;
  kept.board->add("alice", kToday, 5, "car");
  const auto row = [&] {
    return std::string(
        kept.store->get(std::string("s\0\0\0\0\0\0\0\1", Space::kPrefixBytes) + "alice").value());
  };
  const std::string before = row();
  kept.board->add("alice", kToday, 0);
  kept.board->add("alice", kToday, 0, "car");
  kept.board->add("bob", kToday, 0, "car");
  CHECK(row() == before);
  CHECK(kept.store->size() == 1);
  kept.board->add("alice", kToday, 0, "bus");
  CHECK(row() != before);
  CHECK(kept.board->engine.erase(kept.board->player("alice")));
  CHECK(kept.store->size() == 0);

  for (int i = 0; i < 300; ++i) kept.board->add(fmt::format("p{}", i), kToday, 5);
  while (kept.board->engine.dismantle(10)) {
  }
  kept.board.reset();
  CHECK(kept.store->size() == 0);
}

TEST_CASE("bytes that are not valid activity are skipped") {
  Kept kept;
  kept.board->add("alice", kToday, 5);
  const std::string prefix("s\0\0\0\0\0\0\0\1", Space::kPrefixBytes);
  const std::string good(kept.store->get(prefix + "alice").value());
  Batch batch;
  for (std::size_t size = 0; size < good.size(); ++size) {
    batch.put(prefix + fmt::format("cut{}", size), good.substr(0, size));
  }
  batch.put(prefix + "tailed", good + "x");
  const auto put = [&](std::string_view id, const std::vector<Amount>& amounts) {
    std::string value(1, '\0');
    pack_activity(5, amounts, std::nullopt, value);
    batch.put(prefix + std::string(id), value);
  };
  const ScoreKey five = kept.board->key(5);
  const ScoreKey largest = kept.board->key(1.7e308);
  put("too long", {{kToday - 7, five}, {kToday, five}});
  put("too large", {{kToday - 1, largest}, {kToday, largest}});
  put("no number", {{kToday, 0}});
  put("before all time", {{std::numeric_limits<Bucket>::min(), five}});
  put("after all time", {{std::numeric_limits<Bucket>::max(), five}});
  kept.store->write(batch);
  CHECK(kept.open(kToday).table() == "alice 5");
  CHECK(kept.board->players.size() == 1);
}

}  // namespace laurel
