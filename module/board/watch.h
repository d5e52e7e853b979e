// watch.h - telling scripts when the top of a board changed: who came, who went, who moved.
//
//   watch     one callback on one board's first n. It is called in tick, never inside a submission.
//   event     the new top and its differences from the one that was told before.
//   cost      nothing while the board does not change; O(n) at a tick after it did.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "board/window.h"

namespace laurel {

class Board;

using WatchId = std::uint64_t;

struct Moved {
  WindowEntry entry;  // as it is now
  double previous = 0;
  std::uint64_t previous_rank = 0;
};

struct WatchEvent {
  std::string board;
  WindowPtr top;
  std::vector<WindowEntry> entered;
  std::vector<WindowEntry> left;  // as they were, with their old rank
  std::vector<Moved> moved;       // another score or another rank
};

using WatchCallback = std::function<void(const WatchEvent&)>;

// What became of `before` in `after`. O(n) for windows of n entries.
WatchEvent compare_windows(const std::string& board, const Window& before, WindowPtr after);

// The watches of a registry.
class Watches {
 public:
  // REQUIRES: `board` lives until the watches of `slot`, `generation` are dropped.
  WatchId add(std::uint32_t slot, std::uint32_t generation, const Board& board, std::size_t n,
              WatchCallback callback);
  void remove(WatchId id);
  void remove_board(std::uint32_t slot, std::uint32_t generation);
  void clear();
  std::size_t size() const { return watches_.size(); }

  // Calls back for every board whose top changed. A callback may add and remove watches and drop
  // boards: those added wait for the next tick, those removed are not called any more.
  // `find_board` gives the board of a slot, or null.
  using FindBoard = std::function<const Board*(std::uint32_t slot, std::uint32_t generation)>;
  void tick(const FindBoard& find_board);

 private:
  struct Watch {
    WatchId id = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::size_t n = 0;
    WindowPtr told;
    WatchCallback callback;
  };

  std::vector<std::shared_ptr<Watch>> watches_;
  WatchId last_id_ = 0;
};

}  // namespace laurel
