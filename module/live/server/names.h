// names.h - a cache of player names, for the windows that clients see. A board that changes at
// every tick looks up only the profiles of new players.
//
//   limits   kLiveNamesKept players; then the cache is cleared.
//   threads  the registry's caller.
//   cost     fill: one cache lookup per entry; a lookup in the profiles for each miss.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "board/standings/top_snapshot.h"
#include "profile/profiles.h"

namespace laurel {

class Names {
 public:
  void fill(Window& window, const Profiles& profiles);

  // Returns the cached players who were renamed since the last call; nullopt: too many renames, so
  // any player may be among them.
  std::optional<std::vector<std::string>> take_renamed(const Profiles& profiles);

 private:
  std::unordered_map<std::string, std::optional<std::string>> names_;
  std::uint64_t renames_ = 0;  // value of Profiles::renames at the last call
};

}  // namespace laurel
