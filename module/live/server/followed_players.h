// followed_players.h - looks up the entries around the players that clients follow, in the ticks of
// the game thread, and posts them to the server.
//
//   lookup    when the board changed, at most kLiveAroundRate times a second for each player. A
//             window is posted if a client sees a difference. A remote board is asked, and the
//             answer is posted in a later tick.
//   tick      takes what its slice allows. The next tick continues after the board at which this
//             one stopped, so that one board with many follows does not delay the others.
//   dense     ranks on a board of many parts take time for each better score. After a lookup that
//             took long, the board's followers wait, so that they take a fiftieth of the thread at
//             most.
//   threads   the registry's caller.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "live/server/follows.h"
#include "live/server/published.h"
#include "live/server/server.h"
#include "profile/names.h"
#include "registry/registry.h"

namespace laurel {

class FollowedPlayers {
 public:
  using Find = std::function<const Published*(const std::string& board)>;
  using IsOld = std::function<bool(const WindowPtr&)>;

  // `server` must outlive the object. `find` returns null for a board that is not published.
  FollowedPlayers(Server& server, Find find) : server_(server), find_(std::move(find)) {}

  // Takes what the server reports, what remotes answered, and looks around.
  void tick(const Registry& registry, Names& names, TickSlice& slice);
  // The board is no longer published. The server ends its follows.
  void unpublish(std::string_view board);
  // Posts again the windows that are old, from the follow after `last`, which it moves on. Returns
  // false when `share` of the slice is spent before the end.
  bool renew(const IsOld& is_old, FollowId& last, TickSlice& slice, double share);
  std::size_t window_bytes() const { return window_bytes_; }  // memory of windows posted last

 private:
  struct Followed {
    explicit Followed(std::size_t& window_bytes) : window(window_bytes) {}

    Around around;
    std::uint64_t version = 0;  // local board: at the last lookup; remote board: of the last answer
    Time looked_up_at = 0;      // steady clock; 0: not yet
    PostedWindow window;
    bool asked = false;  // remote board: a request is pending
  };
  struct OnBoard {
    std::deque<FollowId> followed;  // least recently looked up first
    Time rests_until = 0;           // steady clock: no lookups before
  };
  // What remotes answered about followed players. Null: a request failed.
  using Answers = std::deque<std::pair<FollowId, std::shared_ptr<Window>>>;

  void take_follows(TickSlice& slice);
  void take_answers(Names& names, TickSlice& slice);
  void look_around(const Registry& registry, Names& names, TickSlice& slice);
  void look_around(const Registry& registry, Names& names, const Published& published,
                   OnBoard& on_board, TickSlice& slice);
  void look_up(const Registry& registry, Names& names, FollowId id, Followed& followed,
               const Published& published);
  void ask(const Registry& registry, FollowId id, Followed& followed, const Published& published);
  void post(Names& names, FollowId id, Followed& followed, std::shared_ptr<Window> window);

  Server& server_;
  Find find_;
  std::map<std::string, OnBoard, std::less<>> boards_;  // those with follows
  std::string looked_around_on_;                        // the board at which the last tick stopped
  std::size_t window_bytes_ = 0;                        // of windows in `followed_`
  std::map<FollowId, Followed> followed_;
  std::deque<std::pair<FollowId, Around>> begun_;  // reported, and not taken yet
  std::deque<FollowId> ended_;                     // likewise, after these
  // Not taken yet. Shared with the requests, which may outlive this object.
  std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
};

}  // namespace laurel
