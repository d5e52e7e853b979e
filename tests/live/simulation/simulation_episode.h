// simulation_episode.h - a random episode from a seed: a network, boards, clients, and
// disturbances. In the end the network is tolerable, and every client must show the newest state.
//
//   trouble   loss up to 60 %, duplicates, reordering, damage, blackouts and partitions, also in
//             one direction; the server crashes; boards are reset, unpublished, published again,
//             and change under the same version; clients come, leave, pause and change their
//             subscriptions.
//   the end   5 % loss. Connected clients show the newest state within kStandingWithin, all clients
//             within kEverybodyWithin. After that nothing is sent.
//   threads   none. The same seed gives the same episode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/simulation/simulation.h"

namespace laurel::test {

// A reliable message may need ten repetitions, and its answer too.
inline constexpr Time kStandingWithin = 10 * kSecond;
// A crash is noticed after 10 s, an attempt to connect fails after 5 s, the next one comes up to
// 12.5 s later; then the limit above applies.
inline constexpr Time kEverybodyWithin = 40 * kSecond;

struct Outcome {
  std::vector<std::string> faults;  // empty if all is well
  std::optional<Time> standing_after, everybody_after;
  std::uint64_t windows = 0;  // shown to clients
};

Outcome play_episode(std::uint64_t seed);

}  // namespace laurel::test
