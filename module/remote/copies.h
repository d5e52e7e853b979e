// copies.h - copies of past seasons, in the remote called "archive": who makes them, and those that
// somebody reads. For remote_boards_state.h alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "base/limits.h"
#include "board/registry.h"
#include "remote/copier.h"

namespace laurel {

struct Copies {
  Copies(Asks& asks, Journal& journal, Site& site_in)
      : site(site_in), copier(asks, journal, site_in) {}

  using Name = std::tuple<std::string, Time, std::uint64_t>;  // board, its creation, season
  struct Opened {
    BoardHandle handle;
    std::uint64_t asked = 0;  // goes up with every asking
  };
  Site& site;
  Copier copier;                               // of seasons of boards that live here
  std::size_t free_carriers = kCarriedAtOnce;  // of boards that live elsewhere
  std::map<Name, Opened> opened;
  std::uint64_t last_asked = 0;
};

}  // namespace laurel
