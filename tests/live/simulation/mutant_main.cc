// Runs the simulation over a library with one wrong line. Succeeds if an episode finds the fault.
//
//   mutant_NAME SENTENCE   a part of the fault's text
#include <cstdio>
#include <string_view>

#include "live/simulation/simulation_episode.h"

namespace {
constexpr std::uint64_t kEpisodes = 500;  // the correct library plays thousands without a fault
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (std::uint64_t seed = 0; seed < kEpisodes; ++seed) {
    for (const std::string& fault : laurel::test::play_episode(seed).faults) {
      std::printf("episode %llu: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
      if (fault.find(argv[1]) != std::string::npos) return 0;
    }
  }
  std::printf("%llu episodes do not say \"%s\"\n", static_cast<unsigned long long>(kEpisodes),
              argv[1]);
  return 1;
}
