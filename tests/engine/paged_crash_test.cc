// Durable store: a new engine finds the board as of the last change, regardless of what was only in
// the memory of the previous engine.
#include <random>

#include "paged_twins.h"

namespace laurel {

namespace {

// Sizes at which short histories split, merge and write back.
PagedSizes tight_sizes(std::uint64_t seed) {
  PagedSizes sizes = small_sizes(4 + seed % 5);
  if (seed % 2 == 0) sizes.cache_bytes = 30'000;
  if (seed % 3 == 0) sizes.notes = 10 + seed;
  return sizes;
}

constexpr Ties kTies[] = {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc};

// Puts or erases a player that the board may have.
void step(Twins& twins, std::mt19937_64& random, std::uint64_t ids) {
  const std::string id = tricky_id(random() % ids);
  if (random() % 3 == 0) {
    twins.erase(id);
    return;
  }
  std::optional<std::string> data;
  if (random() % 3 == 0) data = std::string(random() % 9, 'd');
  twins.put(id, random() % 40, static_cast<Time>(random() % 3), data);
}

// The server dies and loses its memory; another one opens the store.
void crash(Twins& twins) {
  twins.board.engine = twins.board.reopened();
  twins.board.engine->check();
}

std::size_t each_note(const PagedBoard& board) { return board.stored('l'); }

}  // namespace

TEST_CASE("after a crash at any moment the board of the last change is loaded") {
  for (std::uint64_t seed = 1; seed <= short_or_long(6U, 60U); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Twins twins(tight_sizes(seed), kTies[seed % 4], true);
    for (int i = 0; i < 500; ++i) {
      CAPTURE(i);
      step(twins, random, 150);
      if (random() % 25 == 0) twins.board.engine->write_back();
      const std::unique_ptr<PagedEngine> opened = twins.board.reopened();
      opened->check();
      REQUIRE(rows_of(*opened) == rows_of(twins.ranked));
    }
  }
}

TEST_CASE("a board that is killed and opened fifty times matches a ranked one") {
  for (std::uint64_t seed = 1; seed <= short_or_long(4U, 40U); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Twins twins(tight_sizes(seed), kTies[seed % 4], true);
    for (int server = 0; server < 50; ++server) {
      CAPTURE(server);
      // Some servers change almost nothing, some write back, some end directly after that.
      const std::uint64_t steps = random() % 2 == 0 ? random() % 3 : random() % 60;
      for (std::uint64_t i = 0; i < steps; ++i) {
        step(twins, random, 200);
        if (random() % 50 == 0) twins.board.engine->write_back();
        twins.board.engine->check();
      }
      if (random() % 5 == 0) twins.board.engine->write_back();
      crash(twins);
      twins.compare_page(0, SIZE_MAX);
      if (server % 10 == 9) twins.compare_all();
    }
  }
}

namespace {

void apply(Store& store, const Batch& batch) { store.write(batch); }

void erase_gone(Store& store, const std::string& prefix) {
  while (store.erase_some(prefix, 100)) {
  }
}

// A copy of a store, for another server.
void copy(const Store& from, Store& to) {
  Batch batch;
  const std::unique_ptr<Cursor> at = from.cursor();
  for (bool on = at->seek("\x01"); on; on = at->next()) batch.put(at->key(), at->value());
  to.write(batch);
}

// Another server's engine on a store that it did not write.
struct Other {
  Other(const PagedBoard& board, Store& store)
      : engine(board.spec, {players, store, last_space, reads}, board.engine->space().number(),
               board.sizes) {
    engine.load([](std::size_t) {});
    engine.check();
  }

  Players players{HashSecret::fixed(1)};
  SpaceNumber last_space = 0;
  EngineReads reads;
  PagedEngine engine;
};

// Changes both in the same way, and compares them.
void go_on(Other& other, std::vector<KeptRow> rows, std::mt19937_64& random) {
  for (int i = 0; i < 12 && !rows.empty(); ++i) {
    const std::size_t which = random() % rows.size();
    REQUIRE(other.engine.erase({rows[which].player}));
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(which));
    if (i == 5) other.engine.write_back();
    other.engine.check();
    REQUIRE(rows_of(other.engine) == rows);
  }
}

}  // namespace

TEST_CASE("a crash between any two writes leaves the board of the current change") {
  for (std::uint64_t seed = 1; seed <= short_or_long(4U, 40U); ++seed) {
    for (const bool gone_at_once : {false, true}) {
      CAPTURE(seed);
      CAPTURE(gone_at_once);
      std::mt19937_64 random(seed);
      Twins twins(tight_sizes(seed), kTies[seed % 4], true);
      twins.board.store.records = true;
      KeptStore replayed;
      std::size_t done = 0;
      for (int i = 0; i < 300; ++i) {
        CAPTURE(i);
        step(twins, random, 100);
        if (random() % 30 == 0) twins.board.engine->write_back();
        if (random() % 40 == 0) crash(twins);
        const std::vector<KeptRow> rows = rows_of(twins.ranked);
        for (; done < twins.board.store.calls.size(); ++done) {
          const StoreCall& call = twins.board.store.calls[done];
          apply(replayed, call.batch);
          // A durable store may erase retired rows at any later time.
          if (gone_at_once && !call.gone.empty()) erase_gone(replayed, call.gone);
          REQUIRE(rows_of(Other(twins.board, replayed).engine) == rows);
        }
        if (i % 20 != 0) continue;
        KeptStore copied;
        copy(replayed, copied);
        Other other(twins.board, copied);
        go_on(other, rows, random);
      }
      CHECK(twins.board.reads.written > 30);
    }
  }
}

TEST_CASE("load reports progress for each note") {
  Twins twins(small_sizes(), Ties::earliest, true);
  for (int i = 0; i < 2500; ++i) twins.put(fmt::format("p{}", i), static_cast<ScoreKey>(i), i, {});
  const PagedBoard& board = twins.board;
  PagedEngine opened(board.spec, twins.board.context(), board.engine->space().number(),
                     board.sizes);
  std::size_t told = 0;
  int words = 0;
  opened.load([&](std::size_t rows) {
    told += rows;
    ++words;
  });
  CHECK(told == each_note(board));
  CHECK(words > 2);
}

TEST_CASE("a player has one note from the first change until pages are written") {
  PagedBoard board(small_sizes(), Ties::earliest, true);
  for (int i = 0; i < 30; ++i) board.put("somebody", static_cast<ScoreKey>(i));
  CHECK(each_note(board) == 1);
  CHECK(board.engine->erase({"somebody"}));
  board.put("somebody", 5);
  board.put("another", 7);
  CHECK(each_note(board) == 2);
  board.engine->write_back();
  CHECK(board.reads.written == 1);
  board.put("somebody", 6);
  board.engine = board.reopened();
  board.put("somebody", 7);
  board.engine->check();
  board.engine->erase({"nobody"});
  CHECK(each_note(board) == 1);
}

TEST_CASE("the number of notes is bounded") {
  PagedSizes sizes = small_sizes();
  sizes.notes = 50;
  Twins twins(sizes, Ties::earliest, true);
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    step(twins, random, 500);
    // The notes that count, and the dead ones of the previous write.
    REQUIRE(each_note(twins.board) <= 2 * sizes.notes);
  }
  CHECK(twins.board.reads.written > 100);
}

TEST_CASE("a change encodes only a few pages beyond those that it touches") {
  PagedSizes sizes = small_sizes(8);
  sizes.notes = 400;
  Twins twins(sizes, Ties::earliest, true);
  std::mt19937_64 random(4);
  for (int i = 0; i < 400; ++i) twins.put(fmt::format("p{}", i), random() % 1000, i, {});
  twins.board.engine->write_back();
  std::uint64_t most = 0;
  std::uint64_t whole = 0;  // nodes of writes that ended within a change
  std::uint64_t begun = twins.board.reads.written;
  for (int i = 0; i < 3000; ++i) {
    CAPTURE(i);
    const std::uint64_t before = twins.board.reads.written;
    const int batches = twins.board.store.batches;
    twins.put(fmt::format("p{}", random() % 400), random() % 1000, i, {});
    most = std::max(most, twins.board.reads.written - before);
    if (twins.board.store.batches > batches + 1) {
      whole = std::max(whole, twins.board.reads.written - begun);
      begun = twins.board.reads.written;
    }
    if (i % 100 == 0) twins.board.engine->check();
  }
  const std::size_t layers = twins.board.engine->layout().layers;
  CHECK(most <= kPagedNodesPerCall + 6 * layers);
  CHECK(whole > 3 * most);
  twins.compare_all();
}

TEST_CASE("write_back ends the write in progress and writes later changes") {
  PagedSizes sizes = small_sizes();
  sizes.notes = 80;
  Twins twins(sizes, Ties::earliest, true);
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 65; ++k) step(twins, random, 300);
    twins.board.engine->write_back();
    const int batches = twins.board.store.batches;
    twins.board.engine->write_back();
    REQUIRE(twins.board.store.batches == batches);
    REQUIRE(rows_of(*twins.board.reopened()) == rows_of(twins.ranked));
  }
}

TEST_CASE("writing back an unchanged board does not begin a generation of notes") {
  PagedBoard board(small_sizes(), Ties::earliest, true);
  board.put("somebody", 1);
  for (int i = 0; i < 100; ++i) board.engine->write_back();
  CHECK(board.store.batches == 2);
  board.put("somebody", 2);
  const std::unique_ptr<Cursor> at = board.engine->space().cursor();
  REQUIRE(at->seek(std::string("l\0\0\0\0\0\0\0\1", 9)));
  CHECK(at->key().substr(0, 9) == std::string("l\0\0\0\0\0\0\0\1", 9));
}

TEST_CASE("dead notes are erased, also those that a crash left behind") {
  Twins twins(small_sizes(), Ties::earliest, true);
  for (int i = 0; i < 300; ++i) twins.put(fmt::format("p{}", i), static_cast<ScoreKey>(i), i, {});
  twins.board.engine->write_back();
  crash(twins);
  twins.compare_page(0, SIZE_MAX);
  CHECK(each_note(twins.board) > 0);
  for (int i = 0; i < 20; ++i) twins.put("p1", static_cast<ScoreKey>(i), i, {});
  CHECK(each_note(twins.board) == 1);
  twins.board.engine->write_back();
  twins.put("p1", 1, 1, {});
  crash(twins);
  twins.compare_all();
}

TEST_CASE("a memory store has no notes, and has a player's row only after pages are written") {
  PagedBoard board(small_sizes());
  for (int i = 0; i < 50; ++i) board.put(fmt::format("p{}", i), static_cast<ScoreKey>(i));
  CHECK(board.store.batches == 0);
  board.engine->write_back();
  CHECK(each_note(board) == 0);
  CHECK(board.stored('p') == 50);
}

TEST_CASE("a snapshot of a durable store shows the board of its moment") {
  Twins twins(tight_sizes(6), Ties::latest, true);
  std::mt19937_64 random(6);
  std::vector<std::pair<std::shared_ptr<const Reader>, std::vector<KeptRow>>> moments;
  for (int i = 0; i < 300; ++i) {
    step(twins, random, 80);
    if (i % 10 == 0) moments.emplace_back(twins.board.store.snapshot(), rows_of(twins.ranked));
  }
  const std::size_t entries = twins.board.store.size();
  for (const auto& [snapshot, rows] : moments) {
    EngineReads reads;
    const auto view = PagedEngine::at(twins.board.spec, twins.board.engine->space(), *snapshot,
                                      reads, twins.board.sizes);
    view->check();
    CHECK(rows_of(*view) == rows);
  }
  CHECK(twins.board.store.size() == entries);
}

TEST_CASE("a board on a durable store is dismantled in steps and leaves no rows") {
  Twins twins(small_sizes(), Ties::earliest, true);
  PagedEngine other(twins.board.spec, twins.board.context(), twins.board.sizes);
  other.put({"somebody"}, {.score = 1});
  const std::size_t others = twins.board.store.size();
  std::mt19937_64 random(8);
  for (int i = 0; i < 300; ++i) {
    step(twins, random, 100);
    if (i == 200) twins.board.engine->write_back();
  }
  int steps = 1;
  while (twins.board.engine->dismantle(20)) ++steps;
  CHECK(steps > 5);
  CHECK(twins.board.store.size() == others);
  CHECK(other.size() == 1);
}

}  // namespace laurel
