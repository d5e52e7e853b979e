// window.h - the top of a board as it stood at one tick: what watchers compare and clients receive.
//
//   entry      a player with score and rank, copied: a window outlives every later change.
//   version    the board's count of changes when the window was taken. Versions only go up; they
//              skip the changes that one tick brought together.
//   epoch      a random number of this incarnation of the board: a board dropped and created anew
//              under its name, or a server started again, has another one.
//   threads    immutable once made; shared freely between the game thread and the live thread.
//   size       at most kWatchTopMax entries.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace laurel {

struct WindowEntry {
  std::string player;
  std::optional<std::string> name;  // what the player is called, where a profile says so
  std::optional<std::string> data;  // only where it was asked for
  double score = 0;
  std::uint64_t rank = 0;  // 1-based, in the board's ranking mode
  std::optional<Time> at;  // when the score was attained; does not travel to clients

  friend bool operator==(const WindowEntry&, const WindowEntry&) = default;
};

struct Window {
  std::uint64_t epoch = 0;
  std::uint64_t version = 0;
  std::uint64_t size = 0;            // how many players the whole board ranks
  std::vector<WindowEntry> entries;  // best first
};

using WindowPtr = std::shared_ptr<const Window>;

}  // namespace laurel
