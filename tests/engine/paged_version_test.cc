// Readers of the store see the board of a write_back, never a part of one.
#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "paged_fixture.h"

namespace laurel {

namespace {

std::string short_id_of(std::uint64_t number) { return fmt::format("p{}", number); }

// A random put or erase.
void step(PagedBoard& board, std::mt19937_64& random, std::uint64_t ids) {
  const std::string id = short_id_of(random() % ids);
  if (random() % 3 == 0) {
    board.engine->erase({id});
  } else {
    board.put(id, random() % 40, static_cast<Time>(random() % 5), "data");
  }
}

}  // namespace

TEST_CASE("S4-22: after a stop at any moment the board of the last write-back is loaded") {
  for (std::uint64_t seed = 1; seed <= short_or_long(2U, 20U); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    PagedSizes sizes = small_sizes();
    // Sometimes the changes are so large that put itself writes them: that is a version too.
    if (seed % 2 == 0) sizes.cache_bytes = 30'000;
    PagedBoard board(sizes);
    std::vector<KeptRow> written;
    for (int i = 0; i < 600; ++i) {
      CAPTURE(i);
      const int batches = board.store.batches;
      step(board, random, 150);
      if (random() % 12 == 0) board.engine->write_back();
      REQUIRE(board.store.batches <= batches + 2);
      if (board.store.batches != batches) written = rows_of(*board.engine);
      const std::unique_ptr<PagedEngine> reopened = board.reopened();
      reopened->check();
      REQUIRE(rows_of(*reopened) == written);
    }
    CHECK(board.store.batches > 30);
  }
}

TEST_CASE("S4-22: a board continues from the state that another server left") {
  PagedBoard board(small_sizes());
  std::mt19937_64 random(5);
  for (int server = 0; server < 40; ++server) {
    CAPTURE(server);
    for (int i = 0; i < 50; ++i) step(board, random, 200);
    board.engine->write_back();
    const std::vector<KeptRow> rows = rows_of(*board.engine);
    const PagedLayout layout = board.engine->layout();
    board.engine = board.reopened();
    board.engine->check();
    CHECK(rows_of(*board.engine) == rows);
    CHECK(board.engine->layout().entry_sets == layout.entry_sets);
    CHECK(board.stored_nodes().size() == layout.entry_sets + layout.manifests);
  }
}

TEST_CASE("a snapshot of a paged board never changes") {
  PagedBoard board(small_sizes());
  std::mt19937_64 random(6);
  std::vector<std::pair<std::shared_ptr<const Reader>, std::vector<KeptRow>>> versions;
  for (int i = 0; i < 300; ++i) {
    step(board, random, 80);
    if (i % 30 != 0) continue;
    board.engine->write_back();
    versions.emplace_back(board.store.snapshot(), rows_of(*board.engine));
  }
  for (const auto& [snapshot, rows] : versions) {
    EngineReads reads;
    const auto view =
        PagedEngine::at(board.spec, board.engine->space(), *snapshot, reads, board.sizes);
    view->check();
    CHECK(rows_of(*view) == rows);
  }
}

namespace {

// A version of the board, and its rows.
struct Version {
  std::shared_ptr<const Reader> snapshot;
  std::vector<KeptRow> rows;
};

// Hands the newest version from the writer to the readers.
class Newest {
 public:
  void set(std::shared_ptr<const Version> version) {
    const std::lock_guard lock(mutex_);
    version_ = std::move(version);
  }
  std::shared_ptr<const Version> get() const {
    const std::lock_guard lock(mutex_);
    return version_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Version> version_;
};

// The number of answers about the version that do not match its rows.
int wrong_answers(const PagedBoard& board, const Version& version) {
  EngineReads reads;
  const auto view =
      PagedEngine::at(board.spec, board.engine->space(), *version.snapshot, reads, board.sizes);
  int wrong = rows_of(*view) == version.rows ? 0 : 1;
  for (std::size_t i = 0; i < version.rows.size(); i += 7) {
    wrong += view->position({version.rows[i].player}) == i ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("S4-17: eight readers see committed versions while a writer continues") {
  PagedBoard board(small_sizes(6));
  std::mt19937_64 random(17);
  Newest newest;
  const auto publish = [&] {
    board.engine->write_back();
    newest.set(
        std::make_shared<const Version>(Version{board.store.snapshot(), rows_of(*board.engine)}));
  };
  publish();

  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> looks = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&] {
      do {
        wrong += wrong_answers(board, *newest.get());
        ++looks;
      } while (!done);
    });
  }
  // Continue until the readers have checked often enough, however threads are scheduled.
  for (int i = 0; i < 1000 || looks < 100; ++i) {
    step(board, random, 300);
    if (i % 10 == 0) publish();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}

}  // namespace laurel
