// simulation_episode.h - one story drawn from a number: a network, boards, clients, and what
// befalls them; in the end the network gets tolerable, and everybody has to show the newest.
//
//   trouble   loss to 60 %, duplicates, overtaking, damage, blackouts and partitions, one way too;
//             the server crashes, boards begin anew, are taken off and come back, change under the
//             same version; clients come, go, stop and ask for something else.
//   the end   5 % loss. Who is connected then shows the newest within kStandingWithin, everybody
//             within kEverybodyWithin; then nothing is sent any more.
//   threads   none. The same seed gives the same story.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/simulation.h"

namespace laurel::test {

// A message that goes reliably may be under its tenth repetition, and its answer too.
inline constexpr Time kStandingWithin = 10 * kSecond;
// A crash is noticed after 10 s, an attempt to connect fails after 5 s, the next one comes up to
// 12.5 s later; and then as above.
inline constexpr Time kEverybodyWithin = 40 * kSecond;

struct Outcome {
  std::vector<std::string> faults;  // none: all is well
  std::optional<Time> standing_after, everybody_after;
  std::uint64_t windows = 0;  // that clients were shown
};

Outcome play_episode(std::uint64_t seed);

}  // namespace laurel::test
