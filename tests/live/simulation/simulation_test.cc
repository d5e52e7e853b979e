// The real logic of server and clients on a network that loses, duplicates and reorders.
//
//   LAUREL_SIMULATION_SEED=N      plays this episode only
//   LAUREL_SIMULATION_EPISODES=N  plays N episodes instead of kEpisodes
//   LAUREL_SIMULATION_SECONDS=N   plays new episodes for N seconds, for runs over night
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "live/simulation/simulation_episode.h"
#include "long_form.h"

namespace laurel {
namespace {

using test::play_episode;

constexpr std::uint64_t kEpisodes = 1500, kEpisodesOfLong = 4000;
constexpr int kFailuresMax = 3;  // printed; more would not help

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Statistics of many episodes.
class Tally {
 public:
  // Returns false when enough episodes have failed.
  bool play(std::uint64_t seed) {
    const test::Outcome outcome = play_episode(seed);
    ++episodes_;
    windows_ += outcome.windows;
    if (outcome.standing_after) standing_.push_back(*outcome.standing_after);
    if (outcome.everybody_after) everybody_.push_back(*outcome.everybody_after);
    CHECK_MESSAGE(outcome.faults.empty(),
                  "LAUREL_SIMULATION_SEED=" << seed << ": "
                                            << fmt::format("{}", fmt::join(outcome.faults, "; ")));
    if (!outcome.faults.empty()) ++failures_;
    return failures_ < kFailuresMax;
  }

  std::string words() {
    return fmt::format(
        "{} episodes, {} windows shown; after the network was tolerable, connected "
        "clients show the newest after {}, all after {}",
        episodes_, windows_, percentiles(standing_), percentiles(everybody_));
  }

 private:
  static std::string percentiles(std::vector<Time>& times) {
    if (times.empty()) return "nothing";
    std::sort(times.begin(), times.end());
    const auto at = [&](double p) {
      return times[static_cast<std::size_t>(p * static_cast<double>(times.size() - 1))] / 1000;
    };
    return fmt::format("p50 {} ms, p99 {} ms, at most {} ms", at(0.5), at(0.99), at(1));
  }

  std::uint64_t episodes_ = 0, windows_ = 0;
  int failures_ = 0;
  std::vector<Time> standing_, everybody_;
};

TEST_CASE("in every episode clients see only posted states, in order, and the newest in the end") {
  Tally tally;
  if (std::getenv("LAUREL_SIMULATION_SEED") != nullptr) {
    tally.play(number_in("LAUREL_SIMULATION_SEED", 0));
  } else if (const std::uint64_t seconds = number_in("LAUREL_SIMULATION_SECONDS", 0)) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    std::uint64_t seed = std::uint64_t{std::random_device{}()} << 20;
    while (tally.play(seed++) && std::chrono::steady_clock::now() < end) {
    }
  } else {
    const std::uint64_t episodes =
        number_in("LAUREL_SIMULATION_EPISODES", short_or_long(kEpisodes, kEpisodesOfLong));
    for (std::uint64_t seed = 0; seed < episodes && tally.play(seed); ++seed) {
    }
  }
  MESSAGE(tally.words());
}

}  // namespace
}  // namespace laurel
