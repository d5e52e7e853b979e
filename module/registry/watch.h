// watch.h - callbacks when the top of a board changed: which players entered, left or moved.
//
//   watch     a callback for the first n of one board, or of a segment or cohort of it. It runs in
//             tick, never inside a submission.
//   event     the new top, and its differences from the last one reported. A player's new name is a
//             change of the top, too.
//   cost      none while the board does not change; O(n) at a tick after it did. If a tick has no
//             time left, the next one goes on with the next watch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "board/segments/segment_name.h"
#include "board/standings/top_snapshot.h"
#include "profile/names.h"
#include "registry/tick_budget.h"

namespace laurel {

class Board;

using WatchId = std::uint64_t;

struct Moved {
  WindowEntry entry;  // the entry now
  double previous = 0;
  Rank previous_rank;
};

struct WatchEvent {
  std::string board;
  WindowPtr top;
  std::vector<WindowEntry> entered;
  std::vector<WindowEntry> left;  // the entries before, with their old rank
  std::vector<Moved> moved;       // a different score or rank
};

using WatchCallback = std::function<void(const WatchEvent&)>;

// The differences between two windows. O(n) for windows of n entries.
WatchEvent compare_windows(const std::string& board, const Window& before, WindowPtr after);

// The watches of a registry.
class Watches {
 public:
  // REQUIRES: `board` exists until remove_board(slot, generation).
  WatchId add(std::uint32_t slot, std::uint32_t generation, const Board& board,
              const std::optional<SegmentName>& segment, std::size_t n, Names& names,
              WatchCallback callback);
  void remove(WatchId id);
  void remove_board(std::uint32_t slot, std::uint32_t generation);
  void clear();
  std::size_t size() const { return watches_.size(); }

  // Calls back for every board whose top changed. A callback may add and remove watches and drop
  // boards: added watches are called from the next tick on, removed ones no longer. `find_board`
  // returns the board of a slot, or null.
  using FindBoard = std::function<const Board*(std::uint32_t slot, std::uint32_t generation)>;
  void tick(const FindBoard& find_board, Names& names, TickSlice& slice);

 private:
  struct Watch {
    WatchId id = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::optional<SegmentName> segment;  // absent: the whole board
    std::size_t n = 0;
    WindowPtr told;
    std::uint64_t renames = 0;  // value of Names::renames when `told` was made
    WatchCallback callback;
  };
  static bool tell(Watch& watch, const FindBoard& find_board, Names& names, TickSlice& slice);

  std::vector<std::shared_ptr<Watch>> watches_;
  WatchId last_id_ = 0;
  WatchId next_ = 0;  // the next tick begins with the first watch from this id on
};

}  // namespace laurel
