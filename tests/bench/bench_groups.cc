// What a submission costs on a board that a board of groups is made from: such boards and one
// without take turns in rounds, each in a registry of its own; a figure is the median of its
// rounds, and the ratio to the board without. Every submission moves its player.
//
//   bench_groups [--members=N] [--groups=N] [--rounds=N]
//
//   plain       a ranked board that no board is made from
//   sum         a board of groups takes the sum of all members, without an order of them
//   best of 5   it takes the sum of the five best
//   best        it takes the best
//   segments    the plain board has segments of that attribute
//   both        segments, and the sum of the five best
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "board/spec/spec_change.h"
#include "measure.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::size_t kBurst = 20'000;  // submissions of each measurement

class CountingClock final : public Clock {
 public:
  Time now() override { return ++now_; }

 private:
  Time now_ = 18281 * 86'400 * kSecond;
};

struct Kind {
  const char* title;
  const char* take;  // null: no board of groups
  double best;       // 0: all
  bool has_segments;
};

constexpr Kind kKinds[] = {{"plain", nullptr, 0, false},   {"sum", "sum", 0, false},
                           {"best of 5", "sum", 5, false}, {"best", "best", 0, false},
                           {"segments", nullptr, 0, true}, {"both", "sum", 5, true}};

class Candidate {
 public:
  Candidate(const Kind& kind, std::uint64_t members, std::uint64_t groups)
      : title(kind.title), members_(members) {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    (void)spec.set("decimals", 0.0);
    if (kind.has_segments) (void)spec.set("segments", "clan");
    board_ = registry_.get(*registry_.open("week", spec));
    for (std::uint64_t i = 0; i < members; ++i) {
      AttributeChanges changes;
      (void)changes.add("clan", std::to_string(random_() % groups));
      (void)registry_.profiles().save(
          {.id = Id(i), .name = std::nullopt, .email = std::nullopt, .attributes = changes.text()},
          registry_.now());
    }
    for (std::uint64_t i = 0; i < members; ++i) submit(Id(i));
    if (kind.take == nullptr) return;
    const std::size_t before = board_->bytes();
    SpecChange made;
    (void)made.set("engine", "groups");
    (void)made.set("source", "week");
    (void)made.set("group", "clan");
    (void)made.set("take", kind.take);
    if (kind.best != 0) (void)made.set("best", kind.best);
    const Board* const board = registry_.get(*registry_.open("clans", made));
    bytes = static_cast<double>(board_->bytes() - before + board->bytes()) /
            static_cast<double>(members);
  }

  void run(bool counts) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) submit(Id(random_() % members_));
    if (counts) cost.add((time_so_far() - before).cpu * 1e9 / kBurst);
  }

  const char* title;
  double bytes = 0;  // of the board of groups and what is kept for it, for each member
  Samples cost;

 private:
  void submit(const Id& player) {
    const auto score = static_cast<double>(random_() % 10'000'000'000);
    (void)board_->submit(WriteMode::submit, {.player = player, .score = score});
  }

  std::uint64_t members_;
  std::mt19937_64 random_{1};
  Registry registry_{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board_ = nullptr;
};

void run(std::uint64_t members, std::uint64_t groups, std::size_t rounds) {
  std::vector<std::unique_ptr<Candidate>> all;
  for (const Kind& kind : kKinds) all.push_back(std::make_unique<Candidate>(kind, members, groups));
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (const auto& each : all) each->run(round > 0);
  }
  const double plain = all.front()->cost.median();
  for (const auto& each : all) {
    std::printf("%-10s %6.0f ns  %.2f  %5.1f bytes\n", each->title, each->cost.median(),
                each->cost.median() / plain, each->bytes);
  }
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  const std::uint64_t members = laurel::option(argc, argv, "members", 1'000'000);
  const std::uint64_t groups = laurel::option(argc, argv, "groups", 10'000);
  std::printf("%llu members, %llu groups, load %.1f\n", static_cast<unsigned long long>(members),
              static_cast<unsigned long long>(groups), laurel::load_average());
  laurel::run(members, groups, laurel::option(argc, argv, "rounds", 31));
}
