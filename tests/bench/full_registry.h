// full_registry.h - a registry with one board full of members, in memory or on a disk, and calls
// that submit to it: random players, random scores, keep = latest.
//
//   failure   throws.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "board/spec/spec_change.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

// Calls back with every member. Neighbouring rows come far apart, as in play, but a transaction of
// many consecutive calls changes few pages.
template <typename Visit>
void each_member(std::uint64_t members, const Visit& visit) {
  constexpr std::uint64_t kPasses = 8;
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
    for (std::uint64_t i = pass; i < members; i += kPasses) visit(OrderedId(i, members));
  }
}

class Crowd {
 public:
  explicit Crowd(std::uint64_t members) : members_(members) {}

  OrderedId any() { return {random_() % members_, members_}; }
  // A score of ten digits.
  std::uint64_t score() { return random_() % 10'000'000'000; }

 private:
  std::uint64_t members_;
  std::mt19937_64 random_{1};
};

// A registry with one full board; in memory if the path is empty.
class FullRegistry {
 public:
  FullRegistry(const char* engine, std::string path, Durability durability, std::uint64_t members,
               std::size_t history = 0)
      : players_(members) {
    open(std::move(path), durability);
    SpecChange spec;
    (void)spec.set("engine", engine);
    (void)spec.set("keep", "latest");
    if (history > 0) (void)spec.set("history", static_cast<double>(history));
    board_ = registry_->get(*registry_->open("b", spec));
    if (board_->size() > 0) return;
    std::uint64_t submitted = 0;
    each_member(members, [&](const OrderedId& player) {
      submit(player);
      if (++submitted % 50'000 == 0) tick_behind();
    });
    settle();
  }

  void submit_any() { submit(players_.any()); }
  void tick() { registry_->tick(); }
  bool in_flight() const {
    const StoreProgress disk = registry_->stats().disk;
    return disk.on_disk < disk.commits_begun;
  }
  // Waits until the tick before is on the disk, then starts the next one without waiting for it.
  void tick_behind() {
    while (in_flight()) std::this_thread::sleep_for(std::chrono::microseconds(20));
    tick();
  }
  void settle() { must(registry_->flush()); }
  void submit_waiting() {
    submit_any();
    must(registry_->commit());
  }

 private:
  static void must(const Status& status) {
    if (!status) throw std::runtime_error(std::string(status.refusal().message()));
  }
  void open(std::string path, Durability durability) {
    auto opened = Registry::open({.path = std::move(path),
                                  .durability = durability,
                                  .clock = nullptr,
                                  .log = Log([](Level, std::string_view) {}),
                                  .rules = nullptr,
                                  .secret = HashSecret::fixed(1)});
    if (!opened) throw std::runtime_error(std::string(opened.refusal().message()));
    registry_ = std::move(*opened);
  }
  void submit(const OrderedId& player) {
    const auto outcome = board_->submit(
        WriteMode::submit, {.player = player, .score = static_cast<double>(players_.score())});
    if (!outcome) throw std::runtime_error(std::string(outcome.refusal().message()));
  }

  Crowd players_;
  std::unique_ptr<Registry> registry_;
  Board* board_ = nullptr;
};

}  // namespace laurel
