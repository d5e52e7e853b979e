// What a ranked board in memory pays for segments and cohorts: boards without and with take turns
// in rounds, in registries of their own; a figure is the median of its rounds, and the ratio that
// to the board without. Every submission moves its player. The bytes are those of the segments or
// cohorts alone, for each player and attribute.
//
//   bench_segments [--members=N] [--rounds=N]
//
//   nothing     a board without segments
//   one         one attribute, two values: each has half of the players
//   half        one attribute: one value has half of the players, 10,000 the other half
//   many        one attribute with 10,000 values
//   two         two attributes with 10,000 values each
//   cohorts     of 50 players
//   attribute   a change of the attribute of a player on the board of `half`, and what saving a
//               profile costs without such a board
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/counting_clock.h"
#include "board/spec/spec_change.h"
#include "measure.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::size_t kBurst = 20'000;
constexpr std::uint64_t kValues = 10'000;

// What is used, so that the compiler does not leave it out.
volatile unsigned used = 0;

enum class Values { halves, half, many };

struct Candidate {
  Candidate(const char* heading, std::uint64_t members, const char* field, const char* value,
            Values values)
      : title(heading), size(members), kind(values) {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    board = registry.get(*registry.open("b", spec));
    for (std::uint64_t i = 0; i < size; ++i) save(i, i);
    for (std::uint64_t i = 0; i < size; ++i) submit(i);
    if (field == nullptr) return;
    const std::size_t before = board->bytes();
    SpecChange divided;
    (void)divided.set(field, value);
    (void)registry.open("b", divided);
    const double attributes = std::strchr(value, ',') == nullptr ? 1 : 2;
    bytes = static_cast<double>(board->bytes() - before) / static_cast<double>(size) / attributes;
  }

  std::string value_of(std::uint64_t number) const {
    if (kind == Values::halves) return number % 2 == 0 ? "left" : "right";
    if (kind == Values::half && number % 2 == 0) return "most";
    return std::to_string(number / 2 % kValues);
  }
  void save(std::uint64_t player, std::uint64_t number) {
    AttributeChanges changes;
    (void)changes.add("country", value_of(number));
    (void)changes.add("clan", value_of(number + 1));
    const Status saved = registry.profiles().save({.id = Id(player),
                                                   .name = std::nullopt,
                                                   .email = std::nullopt,
                                                   .attributes = changes.text()},
                                                  registry.now());
    used = used + (saved ? 1U : 0U);
  }
  void submit(std::uint64_t player) {
    const auto outcome = board->submit(
        WriteMode::submit,
        {.player = Id(player), .score = static_cast<double>(random() % 10'000'000'000)});
    used = used + (outcome ? 1U : 0U);
  }
  void run(bool counts) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) submit(random() % size);
    if (counts) cost.add((time_so_far() - before).cpu * 1e9 / kBurst);
  }
  void change_attributes(bool counts) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) save(random() % size, random());
    if (counts) attribute.add((time_so_far() - before).cpu * 1e9 / kBurst);
  }

  const char* title;
  std::uint64_t size;
  Values kind;
  std::mt19937_64 random{1};
  Registry registry{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
  double bytes = 0;
  Samples cost;
  Samples attribute;
};

void run(std::uint64_t members, std::size_t rounds) {
  std::vector<std::unique_ptr<Candidate>> all;
  all.push_back(std::make_unique<Candidate>("nothing", members, nullptr, nullptr, Values::half));
  all.push_back(std::make_unique<Candidate>("one", members, "segments", "country", Values::halves));
  all.push_back(std::make_unique<Candidate>("half", members, "segments", "country", Values::half));
  all.push_back(std::make_unique<Candidate>("many", members, "segments", "country", Values::many));
  all.push_back(
      std::make_unique<Candidate>("two", members, "segments", "country,clan", Values::many));
  all.push_back(std::make_unique<Candidate>("cohorts", members, "cohorts", "50", Values::half));
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (const auto& each : all) each->run(round > 0);
  }
  const double nothing = all.front()->cost.median();
  for (const auto& each : all) {
    std::printf("%-10s %6.0f ns  %.2f  %5.1f bytes\n", each->title, each->cost.median(),
                each->cost.median() / nothing, each->bytes);
  }
  for (std::size_t round = 0; round <= rounds; ++round) {
    all[0]->change_attributes(round > 0);
    all[2]->change_attributes(round > 0);
  }
  std::printf("attribute  %6.0f ns; without a board with segments %.0f ns\n",
              all[2]->attribute.median(), all[0]->attribute.median());
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  const std::uint64_t members = laurel::option(argc, argv, "members", 1'000'000);
  std::printf("%llu members, load %.1f\n", static_cast<unsigned long long>(members),
              laurel::load_average());
  laurel::run(members, laurel::option(argc, argv, "rounds", 31));
}
