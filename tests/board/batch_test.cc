// Batches of results: in order from one thread, and from several threads at once.
#include <algorithm>
#include <cmath>
#include <latch>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "board/spec/spec_change.h"
#include "fixture.h"
#include "folder.h"

namespace laurel {

TEST_CASE("a batch reports refused results in order and counts the others") {
  for (const std::string_view engine : {"sharded", "ranked"}) {
    CAPTURE(engine);
    Fixture game;
    Board& board = game.board("b", {{"engine", engine}});
    CHECK(*board.ban("p7"));
    std::vector<std::string> players;
    for (int i = 0; i < 100; ++i) players.push_back(fmt::format("p{}", i));
    std::vector<Submission> batch;
    for (const std::string& player : players) batch.push_back(result(player, 5));
    batch.push_back(result("", 5));
    batch.push_back(result("p0", 6));
    std::vector<std::string> refused;
    const std::size_t changed =
        board.submit_all(batch, [&](std::size_t index, const Refusal& refusal) {
          refused.push_back(fmt::format("{} {}", index, word(refusal.code())));
        });
    CHECK(changed == 100);
    CHECK(refused == std::vector<std::string>{"7 banned", "100 bad_player"});
    CHECK(board.size() == 99);
    CHECK(board.position("p0") == 0);
    CHECK(board.position("p1") == 1);  // earlier in a batch is earlier in the order
    CHECK(game.registry->stats().submitted.submissions == 102);
  }
}

TEST_CASE("a batch into a large board gives the same board as single submissions") {
  constexpr std::uint64_t kSeed = 5;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  for (const char* keep : {"latest", "best", "sum"}) {
    CAPTURE(keep);
    Fixture together;
    Fixture alone;
    Board& batched = together.board("b", {{"keep", keep}});
    Board& single = alone.board("b", {{"keep", keep}});
    for (int round = 0; round < 1200; ++round) {
      std::vector<std::string> players;
      std::vector<Submission> batch;
      for (int i = 0; i < 50; ++i) players.push_back(fmt::format("p{}", random() % 30'000));
      for (const std::string& player : players) {
        // Ties, fractions, and some invalid scores.
        const double score = random() % 40 == 0 ? std::nan("") : double(random() % 100'000) / 4;
        batch.push_back(result(player, score));
      }
      std::vector<std::size_t> refused;
      std::size_t changed = 0;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const Result<Outcome> outcome = single.submit(WriteMode::submit, batch[i]);
        if (!outcome) refused.push_back(i);
        changed += outcome && outcome->changed ? 1 : 0;
      }
      const std::size_t changed_together =
          batched.submit_all(batch, [&](std::size_t index, const Refusal&) {
            REQUIRE(!refused.empty());
            CHECK(refused.front() == index);
            refused.erase(refused.begin());
          });
      CHECK(refused.empty());
      REQUIRE(changed_together == changed);
    }
    REQUIRE(batched.size() > 20'000);
    Entries batched_entries;
    Entries single_entries;
    batched.read(0, SIZE_MAX, batched_entries);
    single.read(0, SIZE_MAX, single_entries);
    REQUIRE(batched_entries.size() == single_entries.size());
    for (std::size_t i = 0; i < batched_entries.size(); ++i) {
      REQUIRE(batched_entries[i].player == single_entries[i].player);
      REQUIRE(batched_entries[i].score == single_entries[i].score);
    }
  }
}

TEST_CASE("S1-5: concurrent batches of two threads count every submission, refusal and change") {
  constexpr int kThreads = 2;
  constexpr int kBatches = 50;
  constexpr std::size_t kResults = 64;
  Fixture game;
  Board& board = game.board("b", {{"engine", "sharded"}, {"shards", 2.0}, {"keep", "sum"}});
  REQUIRE(board.is_concurrent());
  std::vector<std::string> players;
  for (std::size_t i = 0; i < kResults; ++i) players.push_back(fmt::format("p{}", i));
  std::vector<Submission> batch;
  for (const std::string& player : players) batch.push_back(result(player, 1));
  CHECK(*board.ban("p7"));

  std::latch start(kThreads);
  std::vector<std::size_t> refused(kThreads);
  std::vector<std::size_t> changed(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int i = 0; i < kBatches; ++i) {
        changed[thread] += board.submit_all(
            batch, [&](std::size_t index, const Refusal&) { refused[thread] += index == 7; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  CHECK(refused == std::vector<std::size_t>(kThreads, kBatches));
  CHECK(changed == std::vector<std::size_t>(kThreads, kBatches * (kResults - 1)));
  const SubmissionStats stats = game.registry->stats().submitted;
  CHECK(stats.submissions == kThreads * kBatches * kResults);
  CHECK(stats.refused == kThreads * kBatches);
  CHECK(stats.changed == kThreads * kBatches * (kResults - 1));
  CHECK(board.size() == kResults - 1);
  CHECK(board.score("p0") == kThreads * kBatches);
  Entries entries;
  board.read(0, SIZE_MAX, entries);
  std::vector<Time> moments;
  for (const Entry& entry : entries) moments.push_back(entry.at);
  std::sort(moments.begin(), moments.end());
  CHECK(std::adjacent_find(moments.begin(), moments.end()) == moments.end());
}

TEST_CASE("concurrent batches into a durable board are on disk after a flush") {
  constexpr int kThreads = 3;
  constexpr int kBatches = 40;
  const test::Folder folder;
  const auto open = [&folder] {
    Result<std::unique_ptr<Registry>> registry = Registry::open({.path = folder.path()});
    REQUIRE(registry);
    return std::move(*registry);
  };
  const SpecChange summed = spec({{"engine", "sharded"}, {"shards", 4.0}, {"keep", "sum"}});
  {
    const std::unique_ptr<Registry> registry = open();
    Board& board = *registry->get(*registry->open("b", summed));
    std::vector<std::string> players;
    for (std::size_t i = 0; i < 200; ++i) players.push_back(fmt::format("p{}", i));
    std::vector<Submission> batch;
    for (const std::string& player : players) batch.push_back(result(player, 1));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < kBatches; ++i) {
          (void)board.submit_all(batch, [](std::size_t, const Refusal&) {});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(registry->stats().submissions_waiting == 200 * kThreads * kBatches);
    REQUIRE(registry->flush());
    CHECK(registry->stats().submissions_waiting == 0);
  }
  const std::unique_ptr<Registry> registry = open();
  const Board& board = *registry->get(*registry->find("b"));
  CHECK(board.size() == 200);
  CHECK(board.score("p0") == kThreads * kBatches);
  CHECK(board.score("p199") == kThreads * kBatches);
}

}  // namespace laurel
