// candidates.h - the candidates of the comparison on one board: ours, the skiplist, and Nobody,
// which only draws the workload. All have the same calls; operations.h makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <benchmark/benchmark.h>

#include "bench/counting_clock.h"
#include "board/spec/spec_change.h"
#include "registry/registry.h"
#include "skiplist.h"

namespace laurel {

// A board in memory as a game server has it, through its public calls: players are id strings, and
// a watcher of its top is called at ticks.
class OurBoard {
 public:
  static constexpr std::uint64_t kTickSubmissions = 1000;  // a tick of 50 ms, at 20,000 a second

  OurBoard() {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    const BoardHandle handle = *registry_.open("b", spec);
    (void)registry_.watch(handle, 10, [](const WatchEvent&) {});
    board_ = registry_.get(handle);
  }

  Board& board() { return *board_; }
  std::size_t counted_bytes() const { return registry_.stats().bytes; }

  void put(std::string_view player, double score) {
    benchmark::DoNotOptimize(board_->submit(WriteMode::submit, {.player = player, .score = score}));
    ++since_tick_;
  }
  void put_all(std::span<const Submission> batch) {
    board_->submit_all(batch, [](std::size_t, const Refusal&) {});
    since_tick_ += batch.size();
  }
  void tick_if_due() {
    if (since_tick_ < kTickSubmissions) return;
    since_tick_ = 0;
    registry_.tick();
  }
  void rank(std::string_view player) { benchmark::DoNotOptimize(board_->rank(player, {})); }
  void read_10(std::size_t first) {
    entries_.clear();
    board_->read(first, 10, entries_);
    benchmark::DoNotOptimize(entries_.data());
    benchmark::ClobberMemory();
  }
  std::size_t count(double low, double high) const { return board_->count({low, high}); }

 private:
  Registry registry_{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board_ = nullptr;
  Entries entries_;
  std::uint64_t since_tick_ = 0;
};

// Draws the workload and does nothing.
struct Nobody {
  void put(std::string_view member, double score) {
    benchmark::DoNotOptimize(member);
    benchmark::DoNotOptimize(score);
    benchmark::ClobberMemory();
  }
  void put_all(std::span<const Submission> batch) {
    benchmark::DoNotOptimize(batch.data());
    benchmark::ClobberMemory();
  }
  void tick_if_due() {}
  void rank(std::string_view member) { put(member, 0); }
  void read_10(std::size_t first) { benchmark::DoNotOptimize(first); }
  std::size_t count(double low, double high) {
    benchmark::DoNotOptimize(low);
    benchmark::DoNotOptimize(high);
    return 0;
  }
};

struct SkiplistPeer {
  std::size_t size() const { return skiplist.size(); }
  void put(std::string_view member, double score) { skiplist.put(member, score); }
  // The skiplist has no batches.
  void put_all(std::span<const Submission> batch) {
    for (const Submission& each : batch) put(each.player, each.score);
  }
  void tick_if_due() {}
  void rank(std::string_view member) { benchmark::DoNotOptimize(skiplist.rank(member)); }
  void read_10(std::size_t first) {
    skiplist.read(first, page);
    benchmark::DoNotOptimize(page.data());
    benchmark::ClobberMemory();
  }
  std::size_t count(double low, double high) const { return skiplist.count(low, high); }

  Skiplist skiplist;
  std::array<Skiplist::Entry, 10> page;
};

}  // namespace laurel
