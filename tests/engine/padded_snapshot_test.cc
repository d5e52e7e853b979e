// Reads snapshots of a padded board's store while it is written.
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>

#include "engine/padded/padded_engine.h"
#include "engine_fixture.h"

namespace laurel {

namespace {

const EngineSpec kSnapshotSpec{
    .engine = EngineKind::padded, .order = Order::desc, .ties = Ties::player_desc, .decimals = 0};

// The number of rows of one player among a snapshot's score keys, and of all rows.
struct HeldEntry {
  int of_player = 0;
  int all = 0;
};

HeldEntry look(const Space& space, const Reader& snapshot, std::string_view player) {
  const PaddedKeys keys(kSnapshotSpec);
  const KeyRange all = keys.all();
  const std::unique_ptr<Cursor> cursor = space.cursor(snapshot);
  HeldEntry seen;
  for (bool stands = cursor->seek(all.from); stands && cursor->key() < all.to;
       stands = cursor->next()) {
    ++seen.all;
    if (keys.player(cursor->key()) == player) ++seen.of_player;
  }
  return seen;
}

// A store that passes a snapshot to the watcher after each batch.
class WatchedStore final : public Store {
 public:
  using Watcher = std::function<void(std::shared_ptr<const Reader>)>;

  explicit WatchedStore(Watcher watcher) : watcher_(std::move(watcher)) {}

  std::optional<std::string_view> get(std::string_view key) const override {
    return inner_->get(key);
  }
  std::unique_ptr<Cursor> cursor() const override { return inner_->cursor(); }
  std::size_t size() const override { return inner_->size(); }
  void write(const Batch& batch) override {
    inner_->write(batch);
    watcher_(inner_->snapshot());
  }
  bool erase_some(std::string_view prefix, std::size_t entries) override {
    return inner_->erase_some(prefix, entries);
  }
  std::shared_ptr<const Reader> snapshot() const override { return inner_->snapshot(); }
  std::size_t bytes() const override { return inner_->bytes(); }

 private:
  std::unique_ptr<Store> inner_ = make_memory_store();
  Watcher watcher_;
};

// Hands the newest snapshot to waiting readers.
class Newsstand {
 public:
  void post(std::shared_ptr<const Reader> snapshot) {
    const std::lock_guard lock(mutex_);
    newest_ = std::move(snapshot);
    ++posted_;
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  // Waits for a snapshot after the first `seen` ones; null if no further one will come.
  std::shared_ptr<const Reader> next(int& seen) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return posted_ > seen || closed_; });
    if (posted_ == seen) return nullptr;
    seen = posted_;
    return newest_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const Reader> newest_;
  int posted_ = 0;
  bool closed_ = false;
};

}  // namespace

TEST_CASE("S3-18: each snapshot shows an improving player exactly once") {
  Ground ground;
  int snapshots = 0;
  int wrong = 0;
  int players = 0;  // how many players a snapshot must show
  SpaceNumber number = 0;
  ground.store = std::make_unique<WatchedStore>([&](const std::shared_ptr<const Reader>& snapshot) {
    ++snapshots;
    const HeldEntry seen = look(Space(*ground.store, number), *snapshot, "p_alice");
    if (seen.of_player != 1 || seen.all != players) ++wrong;
  });
  PaddedEngine board(kSnapshotSpec, ground.context());
  number = board.space();
  const ScoreForm form(Order::desc, 0);
  for (const std::string_view id : {"p_alice", "p_bob", "p_carol"}) {
    ++players;
    board.put(ground.player(id), {.score = form.key(8420).value()});
  }
  for (int i = 1; i <= 10'000; ++i) {
    board.put(ground.player("p_alice"), {.score = form.key(8420 + i % 3).value(), .at = i});
  }
  CHECK(wrong == 0);
  CHECK(snapshots == 10'003);
  CHECK(board.size() == 3);
}

TEST_CASE("S3-18: eight readers of snapshots see an improving player exactly once") {
  Ground ground;
  Newsstand newsstand;
  ground.store = std::make_unique<WatchedStore>(
      [&](std::shared_ptr<const Reader> snapshot) { newsstand.post(std::move(snapshot)); });
  PaddedEngine board(kSnapshotSpec, ground.context());
  const Space space(*ground.store, board.space());
  const ScoreForm form(Order::desc, 0);
  board.put(ground.player("p_bob"), {.score = form.key(9850).value()});
  board.put(ground.player("p_alice"), {.score = form.key(8420).value()});

  std::atomic<int> wrong = 0;
  std::atomic<int> looked = 0;
  const auto read = [&] {
    int seen_snapshots = 0;
    while (const auto snapshot = newsstand.next(seen_snapshots)) {
      const HeldEntry seen = look(space, *snapshot, "p_alice");
      if (seen.of_player != 1 || seen.all != 2) ++wrong;
      ++looked;
    }
  };
  std::array<std::thread, 8> readers;
  for (std::thread& reader : readers) reader = std::thread(read);
  for (int i = 1; i <= 100'000; ++i) {
    board.put(ground.player("p_alice"), {.score = form.key(8420 + i).value(), .at = i});
  }
  newsstand.close();
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(looked >= 8);
}

}  // namespace laurel
