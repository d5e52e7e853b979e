// What a submission costs on a board that another board is made from: such boards and a plain one,
// each in a registry of its own, take turns in rounds; a figure is the median of its rounds, and
// the ratio to the plain board. Every submission moves its player.
//
//   bench_derived [--members=N] [--rounds=N]
//
//   plain       a ranked board that no board is made from
//   sum of 1    a combined board is made from the board alone
//   sum         from the board and another one with the same players
//   sum of 5    from five boards with the same players
//   ratio, count, firsts   of two boards
//
// The first figure is of single submissions, the second one of batches of 100.
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "board/spec/spec_change.h"
#include "measure.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::size_t kBurst = 20'000;  // submissions of each measurement
constexpr std::size_t kBatch = 100;

class CountingClock final : public Clock {
 public:
  Time now() override { return ++now_; }

 private:
  Time now_ = 18281 * 86'400 * kSecond;
};

struct Kind {
  const char* title;
  const char* sources;  // null: no combined board
  const char* take;
};

constexpr Kind kKinds[] = {{"plain", nullptr, nullptr}, {"sum of 1", "a", "sum"},
                           {"sum", "a,b", "sum"},       {"sum of 5", "a,b,c,d,e", "sum"},
                           {"ratio", "a,b", "ratio"},   {"count", "a,b", "count"},
                           {"firsts", "a,b", "firsts"}};

class Candidate {
 public:
  Candidate(const Kind& kind, std::uint64_t members) : title(kind.title), members_(members) {
    const std::string sources = kind.sources == nullptr ? "a" : kind.sources;
    for (char name = 'a'; sources.find(name) != std::string::npos; ++name) {
      SpecChange spec;
      (void)spec.set("keep", "latest");
      (void)spec.set("decimals", 0.0);
      Board* const board = registry_.get(*registry_.open(std::string(1, name), spec));
      for (std::uint64_t i = 0; i < members; ++i) submit(*board, Id(i));
      if (name == 'a') board_ = board;
    }
    if (kind.sources != nullptr) {
      SpecChange spec;
      (void)spec.set("engine", "combined");
      (void)spec.set("sources", kind.sources);
      (void)spec.set("take", kind.take);
      (void)registry_.get(*registry_.open("made", spec));
    }
  }

  void run(bool counts) {
    Spent before = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) submit(*board_, Id(random_() % members_));
    if (counts) single.add((time_so_far() - before).cpu * 1e9 / kBurst);
    std::vector<Id> ids;
    std::vector<Submission> results;
    for (std::size_t i = 0; i < kBurst; ++i) ids.emplace_back(random_() % members_);
    for (const Id& id : ids) results.push_back({.player = id, .score = score()});
    before = time_so_far();
    for (std::size_t i = 0; i < kBurst; i += kBatch) {
      board_->submit_all(std::span(results).subspan(i, kBatch), [](std::size_t, const Refusal&) {});
    }
    if (counts) batch.add((time_so_far() - before).cpu * 1e9 / kBurst);
  }

  const char* title;
  Samples single;
  Samples batch;

 private:
  double score() { return static_cast<double>(random_() % 10'000'000'000); }
  void submit(Board& board, const Id& player) {
    (void)board.submit(WriteMode::submit, {.player = player, .score = score()});
  }

  std::uint64_t members_;
  std::mt19937_64 random_{1};
  Registry registry_{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board_ = nullptr;
};

void run(std::uint64_t members, std::size_t rounds) {
  std::vector<std::unique_ptr<Candidate>> all;
  for (const Kind& kind : kKinds) all.push_back(std::make_unique<Candidate>(kind, members));
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (const auto& each : all) each->run(round > 0);
  }
  const Candidate& plain = *all.front();
  for (const auto& each : all) {
    std::printf("%-10s %6.0f ns %5.2f %8.0f ns %5.2f\n", each->title, each->single.median(),
                each->single.median() / plain.single.median(), each->batch.median(),
                each->batch.median() / plain.batch.median());
  }
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  const std::uint64_t members = laurel::option(argc, argv, "members", 1'000'000);
  std::printf("%llu members, load %.1f\n", static_cast<unsigned long long>(members),
              laurel::load_average());
  laurel::run(members, laurel::option(argc, argv, "rounds", 31));
}
