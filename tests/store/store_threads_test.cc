#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "entries.h"
#include "every_store.h"
#include "store/store.h"

namespace laurel {

namespace {

// The writer posts its newest snapshot here, and readers take it.
class Newest {
 public:
  void post(std::shared_ptr<const Reader> snapshot) {
    const std::lock_guard lock(mutex_);
    snapshot_.swap(snapshot);
  }
  std::shared_ptr<const Reader> take() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Reader> snapshot_;
};

// Threads that repeatedly check the newest snapshot, each with its own copy of `right`. They count
// failures; nothing is asserted in their threads.
class Readers {
 public:
  template <typename Right>
  Readers(const Newest& newest, int count, Right right) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, &newest, right]() mutable {
        bool last = false;
        while (!last) {
          last = ended_;  // so that each reader also checks the last snapshot
          if (!right(newest.take())) ++wrong_;
        }
      });
    }
  }
  ~Readers() { join(); }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  // Stops the readers and returns the number of failures.
  int wrong() {
    join();
    return wrong_;
  }

 private:
  void join() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::atomic<bool> ended_{false};
  std::atomic<int> wrong_{0};
  std::vector<std::thread> threads_;
};

using Snapshot = std::shared_ptr<const Reader>;

constexpr std::size_t kOthers = 3000;

void fill(Store& store) {
  Batch batch;
  for (std::size_t i = 0; i < kOthers; ++i) {
    batch.put(fmt::format("SCORE#{:010}#player_{:05}", i * 1000, i), "a row of somebody else");
  }
  store.write(batch);
}

std::string row_of_alice(std::uint64_t score) { return fmt::format("SCORE#{:010}#alice", score); }

// True if alice has exactly one row up to `last`, and all other rows exist.
bool has_one_alice(const Reader& reader, std::string_view last) {
  std::size_t found = 0;
  const auto cursor = reader.cursor();
  for (bool stands = cursor->seek(""); stands && cursor->key() <= last; stands = cursor->next()) {
    if (cursor->key().ends_with("#alice")) ++found;
  }
  return found == 1 && count(reader) == kOthers + 1;
}

}  // namespace

TEST_CASE("S3-18: a player moved by erase and put in one batch is seen exactly once") {
  every_store([](Store& store) {
    // Two places on different pages, about 2,000 rows apart.
    constexpr std::uint64_t kPlaces[] = {500'500, 2'500'500};
#ifdef __SANITIZE_THREAD__
    const int moves = store.is_durable() ? 500 : 15'000;  // each move takes that many times longer
#else
    const int moves = store.is_durable() ? 5'000 : 100'000;
#endif
    fill(store);
    put(store, row_of_alice(kPlaces[0]), "alice's row");
    Newest newest;
    newest.post(store.snapshot());
    Readers readers(newest, 2, [last = row_of_alice(kPlaces[1])](const Snapshot& snapshot) {
      return has_one_alice(*snapshot, last);
    });
    Batch batch;
    for (int move = 0; move < moves; ++move) {
      batch.clear();
      batch.erase(row_of_alice(kPlaces[move % 2]));
      batch.put(row_of_alice(kPlaces[(move + 1) % 2]), "alice's row");
      store.write(batch);
      newest.post(store.snapshot());
    }
    CHECK(readers.wrong() == 0);
    CHECK(store.get(row_of_alice(kPlaces[moves % 2])) == "alice's row");
  });
}

TEST_CASE("S4-17: each read of eight readers sees one version that was written") {
  every_store([](Store& store) {
    const int versions = store.is_durable() ? 200 : 2000;
    constexpr int kObjects = 40;  // some longer than a page
    const auto object = [](int i, int version) {
      return fmt::format("{}{}", version, std::string(static_cast<std::size_t>(i) * 200, '.'));
    };
    const auto write = [&](int version) {
      Batch batch;
      for (int i = 0; i < kObjects; ++i) {
        // Objects also come and go: an even version has no even objects.
        const std::string key = fmt::format("object {}", i);
        if (i % 2 == 0 && version % 2 == 0) {
          batch.erase(key);
        } else {
          batch.put(key, object(i, version));
        }
      }
      batch.put("version", fmt::format("{}", version));
      store.write(batch);
    };
    const auto is_whole = [&](const Reader& reader) {
      const int version = std::stoi(std::string(*reader.get("version")));
      std::size_t size = 1;
      for (int i = 0; i < kObjects; ++i) {
        const auto found = reader.get(fmt::format("object {}", i));
        const bool expected = i % 2 == 1 || version % 2 == 1;
        if (found.has_value() != expected) return false;
        if (expected && *found != object(i, version)) return false;
        if (expected) ++size;
      }
      return count(reader) == size;
    };

    write(1);
    Newest newest;
    newest.post(store.snapshot());
    Readers readers(newest, 8, [&](const Snapshot& snapshot) { return is_whole(*snapshot); });
    for (int version = 2; version <= versions; ++version) {
      write(version);
      newest.post(store.snapshot());
    }
    CHECK(readers.wrong() == 0);
    CHECK(is_whole(store));
  });
}

TEST_CASE("other threads read and end old snapshots while the store is written") {
  every_store([](Store& store) {
    constexpr std::size_t kPlayers = 400;
    constexpr std::size_t kKept = 5;
    struct HeldEntry {
      Snapshot snapshot;
      std::string shown;
    };
    const auto same_again = [kept = std::vector<HeldEntry>(),
                             next = std::size_t{0}](const Snapshot& snapshot) mutable {
      kept.push_back({snapshot, show(*snapshot)});
      if (kept.size() <= kKept) return true;
      next = (next + 3) % kKept;
      const HeldEntry seen = std::move(kept[next]);
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(next));
      return show(*seen.snapshot) == seen.shown;
    };

    std::mt19937_64 random(1);
    Newest newest;
    newest.post(store.snapshot());
    Readers readers(newest, 2, same_again);
    for (int step = 0; step < 3000; ++step) {
      Batch batch;
      for (int i = 0; i < 5; ++i) {
        const std::string key = fmt::format("player_{:05}", random() % kPlayers);
        if (random() % 2 == 0) {
          batch.erase(key);
        } else {
          batch.put(key, std::string(random() % 600, 'v'));
        }
      }
      store.write(batch);
      newest.post(store.snapshot());
    }
    CHECK(readers.wrong() == 0);
  });
}

}  // namespace laurel
