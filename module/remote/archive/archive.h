// archive.h - copies of past seasons in the remote called "archive": those that are being made and
// those that are open for reading. Included only by remote_boards_impl.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "registry/registry.h"
#include "remote/archive/local_archiver.h"
#include "remote/limits.h"

namespace laurel {

struct Copies {
  Copies(PendingRequests& requests, Journal& journal, NamedRemote& site_in)
      : remote(site_in), local_archiver(requests, journal, site_in) {}

  using Name = std::tuple<std::string, Time, std::uint64_t>;  // board, its creation time, season
  struct Opened {
    BoardHandle handle;
    std::uint64_t asked = 0;  // goes up with every access
  };
  NamedRemote& remote;
  LocalArchiver local_archiver;                 // of seasons of local boards
  std::size_t free_archivers = kCarriedAtOnce;  // for boards in other remotes
  std::map<Name, Opened> opened;
  std::uint64_t last_asked = 0;
};

}  // namespace laurel
