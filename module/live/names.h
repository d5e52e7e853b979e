// names.h - what players are called, for windows that clients see: the profiles' names of those
// shown lately, so that a board that changes at every tick looks up who is new in it.
//
//   limits   kLiveNamesKept players, then it begins anew.
//   threads  the registry's caller.
//   cost     fill: a lookup in memory for each entry, in the store for one that is new.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "board/window.h"
#include "profile/profiles.h"

namespace laurel {

class Names {
 public:
  void fill(Window& window, const Profiles& profiles);

  // Those shown whose names are others now, since the last call; nothing: there may be any.
  std::optional<std::vector<std::string>> take_renamed(const Profiles& profiles);

 private:
  std::unordered_map<std::string, std::optional<std::string>> names_;
  std::uint64_t renames_ = 0;  // of the profiles, when last looked at
};

}  // namespace laurel
