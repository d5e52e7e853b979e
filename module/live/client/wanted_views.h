// wanted_views.h - the views of boards that a client's caller wants, and what is known of each.
//
//   view       of one board: its top, or the surroundings of a player. It holds the window received
//              last, or why there is none. The callback gets both, each once.
//   callbacks  run in deliver(). They may add and remove views. A callback is kept until its view
//              is removed or replaced, and while it runs.
//   threads    none.
//   cost       linear in the number of views, except `of_stream`, which is constant while states
//              come in the order of subscriptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "board/standings/top_snapshot.h"
#include "live/client/replica.h"
#include "live/wire/wire.h"

namespace laurel {

// Gets a window, or why there is none: "unknown: no board "x" is published here".
using OnTop = std::function<void(const Result<WindowPtr>&)>;

struct WantedView {
  std::string board;
  View view = View::top;
  std::string player;  // that a gateway follows; empty: the token's player
  std::size_t n = 0;
  OnTop on_top = {};
  Replica replica = {};
  bool fresh = false;                   // the replica's window is not delivered yet
  std::optional<Refusal> refusal = {};  // not delivered yet
  std::optional<Refusal> told = {};     // delivered, or in `refusal`; still true
  std::optional<Channel> ack_due = {};
  std::optional<Time> resync_at = {};  // of the last resync

  // Drops the window. The view stays empty until the next state or error.
  void deny(Refusal why);
};
using WantedViewPtr = std::shared_ptr<WantedView>;

class WantedViews {
 public:
  // Adds the view. If the view was added before, its n and its callback are replaced.
  // Fails with  out_of_range  n is not in the view's range, the board's name is not 1 to 255 bytes
  //                           or has a zero byte, or there are `most` views already
  //             bad_player    the player's id is not valid
  Status add(WantedView added, std::size_t most);
  // Removes all views of the board.
  void remove(std::string_view board);
  // Removes the surroundings of the player.
  void remove(std::string_view board, std::string_view player);
  void clear() { views_.clear(); }

  const std::vector<WantedViewPtr>& all() const { return views_; }
  // Both return null if there is no such view.
  WantedViewPtr find(std::string_view board, View view, std::string_view player) const;
  WantedViewPtr of_stream(std::uint32_t stream);

  // The connection was lost: the windows are kept as bases of deltas.
  void detach();
  // The server's answer to what was asked about a board.
  void refuse(const Error& error);
  // The acknowledgements that are due on the channel; from then on they are not.
  std::vector<Ack> take_acks(Channel channel);
  // Calls back.
  void deliver();

 private:
  std::vector<WantedViewPtr> views_;
  std::size_t last_stream_at_ = 0;  // in views_
};

}  // namespace laurel
