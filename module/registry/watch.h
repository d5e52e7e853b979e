// watch.h - callbacks when the top of a board changed: which players entered, left or moved.
//
//   watch     a callback for the first n of one board, or of a segment or cohort of it. It runs in
//             tick, never inside a submission.
//   event     the new top, and its differences from the last one reported. A player's new name is a
//             change of the top, too.
//   cost      none while the board does not change; O(n) at a tick after it did, and O(log watches)
//             to add or remove one. If a tick has no time left, the next one continues with the
//             next watch of the board that waits longest.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
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
  // REQUIRES: `board` exists until remove_board().
  WatchId add(std::uint32_t slot, std::uint32_t generation, const Board& board,
              const std::optional<SegmentName>& segment, std::size_t n, Names& names,
              WatchCallback callback);
  void remove(WatchId id);
  void remove_board(const Board& board);
  void clear();
  std::size_t size() const { return watches_.size(); }

  // The board may have changed: the next tick() looks at its watches. The clock and new names of
  // players need no such call.
  void outdate(const Board& board);

  // Calls back for every watch whose top changed, those of one board in the order of registration.
  // A callback may add and remove watches and drop boards: added watches are called from the next
  // tick on, removed ones no longer. `find_board` returns the board of a slot, or null.
  using FindBoard = std::function<const Board*(std::uint32_t slot, std::uint32_t generation)>;
  void tick(const FindBoard& find_board, Names& names, Time now, TickSlice& slice);

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
  using WatchPtr = std::shared_ptr<Watch>;
  struct Watched {
    std::map<WatchId, WatchPtr> watches;  // not empty
    Time next_change_at = 0;              // by the clock; it is in deadlines_
    std::uint64_t version = 0;            // of the board when it was outdated last
    bool outdated = false;                // it is in outdated_
    WatchId looked_to = 0;                // watches up to this one were looked at since
    bool again = false;                   // it has changed since the first of them
  };
  using WatchedBoards = std::unordered_map<const Board*, Watched>;

  static bool tell(Watch& watch, const FindBoard& find_board, Names& names, TickSlice& slice);
  void outdate(WatchedBoards::value_type& entry);
  void outdate_due(const FindBoard& find_board, Time now, TickSlice& slice);
  void outdate_renamed(const Names& names, TickSlice& slice);
  void end_outdated(WatchedBoards::value_type& entry);
  void keep_deadline(WatchedBoards::value_type& entry);
  void forget_board(WatchedBoards::iterator entry);

  struct Place {
    const Board* board;
    WatchPtr watch;
  };
  std::map<WatchId, Place> watches_;
  WatchedBoards boards_;
  std::set<std::pair<Time, const Board*>> deadlines_;
  // The last one that was looked at, if some that are due were not; the board may be gone.
  std::optional<std::pair<Time, const Board*>> due_to_;
  std::deque<const Board*> outdated_;  // the one that waits longest first; some may be gone
  // Names of players up to this value of Names::renames were told of, to watches up to this one.
  std::uint64_t renames_ = 0;
  WatchId renamed_to_ = 0;
  WatchId last_id_ = 0;
};

}  // namespace laurel
