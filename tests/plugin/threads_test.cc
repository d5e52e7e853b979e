// Concurrent submit_all calls of the C interface on a sharded board.
#include <algorithm>
#include <iterator>
#include <latch>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Host;

namespace {

constexpr int kThreads = 2;
constexpr int kBatches = 60;
constexpr int kBatchResults = 64;
constexpr const char* kBanned = "banned";

laurel_board sharded_board(Host& host, const char* keep) {
  const laurel_field fields[] = {
      {"engine", "sharded", 0}, {"shards", nullptr, 2}, {"of", "ranked", 0}};
  laurel_spec spec = empty_spec();
  spec.keep = keep;
  spec.fields = fields;
  spec.field_count = std::size(fields);
  const laurel_board board = host.board("b", &spec);
  REQUIRE(api().ban(host.boards, board, kBanned, nullptr) == LAUREL_OK);
  return board;
}

// The results of one thread. Half of its players are its own, the other half are common to all
// threads, and one is banned.
class Submitter {
 public:
  Submitter(int thread, std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < kBatches * kBatchResults; ++i) {
      const int player = static_cast<int>(random_() % 100);
      players_.push_back(player == 99      ? kBanned
                         : player % 2 == 0 ? fmt::format("of both {}", player)
                                           : fmt::format("of {} {}", thread, player));
    }
    for (const std::string& player : players_) {
      const auto score = static_cast<double>(random_() % 10'000 + 1);
      results_.push_back({player.c_str(), score, LAUREL_UNAVAILABLE});
    }
  }

  void run(Host& host, laurel_board board) {
    for (int batch = 0; batch < kBatches; ++batch) {
      changed_ +=
          api().submit_all(host.boards, board, &results_[batch * kBatchResults], kBatchResults);
    }
  }

  std::size_t changed() const { return changed_; }
  const std::vector<laurel_result>& results() const { return results_; }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> players_;
  std::vector<laurel_result> results_;
  std::size_t changed_ = 0;
};

std::vector<Submitter> submit_at_once(Host& host, laurel_board board, std::uint64_t seed) {
  std::vector<Submitter> submitters;
  submitters.reserve(kThreads);  // results point into the players' names
  for (int thread = 0; thread < kThreads; ++thread) {
    submitters.emplace_back(thread, seed * kThreads + static_cast<std::uint64_t>(thread));
  }
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (Submitter& submitter : submitters) {
    threads.emplace_back([&host, &start, &submitter, board] {
      start.arrive_and_wait();
      submitter.run(host, board);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return submitters;
}

// All entries of the board, by player.
std::map<std::string, laurel_board_entry> entries_of(Host& host, laurel_board board) {
  std::vector<laurel_board_entry> entries(api().size(host.boards, board));
  REQUIRE(api().top(host.boards, board, entries.data(), entries.size()) == entries.size());
  std::map<std::string, laurel_board_entry> by_player;
  for (const laurel_board_entry& entry : entries) {
    by_player[std::string(entry.player, entry.player_size)] = entry;
  }
  REQUIRE(by_player.size() == entries.size());
  return by_player;
}

template <typename Take>
void each_result(const std::vector<Submitter>& submitters, Take take) {
  for (const Submitter& submitter : submitters) {
    for (const laurel_result& result : submitter.results()) take(result);
  }
}

}  // namespace

TEST_CASE("S1-5: after concurrent batches of two threads the board has every player's best") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Host host;
    const laurel_board board = sharded_board(host, "best");
    const std::vector<Submitter> submitters = submit_at_once(host, board, seed);

    std::map<std::string, double> best;
    each_result(submitters, [&best](const laurel_result& result) {
      if (result.player != std::string(kBanned)) {
        best[result.player] = std::max(best[result.player], result.score);
      }
    });
    const auto entries = entries_of(host, board);
    CHECK(entries.size() == best.size());
    std::set<int64_t> moments;
    for (const auto& [player, entry] : entries) {
      CAPTURE(player);
      REQUIRE(best.contains(player));
      CHECK(entry.score == best[player]);
      CHECK(moments.insert(entry.at).second);
      CHECK(entry.at >= host.now);
      CHECK(entry.at < host.now + kThreads * kBatches * kBatchResults);
    }
  }
}

TEST_CASE("S1-5: every result of concurrent batches counts once and gets its own code") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Host host;
    const laurel_board board = sharded_board(host, "sum");
    const std::vector<Submitter> submitters = submit_at_once(host, board, seed);

    std::map<std::string, double> sums;
    std::size_t taken = 0;
    each_result(submitters, [&](const laurel_result& result) {
      const bool banned = result.player == std::string(kBanned);
      CHECK(result.code == (banned ? LAUREL_BANNED : LAUREL_OK));
      if (banned) return;
      sums[result.player] += result.score;
      ++taken;
    });
    std::size_t changed = 0;
    for (const Submitter& submitter : submitters) changed += submitter.changed();
    CHECK(changed == taken);  // every result is above 0, so every sum changes
    const auto entries = entries_of(host, board);
    CHECK(entries.size() == sums.size());
    for (const auto& [player, entry] : entries) CHECK(entry.score == sums[player]);
  }
}
