// board_segments.h - the segments of a board: which players they have, and how they follow the
// board.
//
//   derived   from the board's rows and the players' profiles, so that nothing is stored: they are
//             made again when a registry is opened, and when `segments` is set.
//   follows   each change of a row (followed_change.h), and each change of a player's attributes.
//   season    begins with empty segments; the former ones are freed later by the reclaimer.
//   owner     a board has one if its spec has `segments`. Others pay one test for each change.
//   cost      a change of a row: that of SegmentOrders, and two lookups of the player. Making them
//             again: O(n log n), with a read of each player's profile.
//   threads   as the board.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/log.h"
#include "base/result.h"
#include "board/reclaimer.h"
#include "board/segments/followed_change.h"
#include "board/segments/segment_orders.h"
#include "profile/profiles.h"

namespace laurel {

// The attributes that boards of groups are ordered by.
struct GroupOrders {
  std::vector<std::string> attributes;
  SegmentListener* listener = nullptr;
};

class BoardSegments {
 public:
  // What the board gives; all of it outlives this. Without profiles no player has attributes.
  struct Context {
    Players& players;
    const Profiles* profiles;
    Reclaimer& reclaimer;
    const Log& log;
    const std::string& board;  // its name
  };
  // REQUIRES: `order` is the board's, until follow() gives another one. None of its rows is taken.
  BoardSegments(const Context& context, std::vector<std::string> attributes,
                const SegmentForm& form, const EngineView& order);
  // The first `shown` attributes are those of `segments`; the others are kept for boards of groups.
  void show(std::size_t shown) { shown_ = shown; }
  // The listener hears of changes in the orders of these attributes, if they are kept; of others no
  // one does. It outlives this, or its last change. Orders of attributes that are neither shown nor
  // heard of end when the board continues with another order.
  void listen(const std::vector<std::string>& attributes, SegmentListener* listener);
  bool keeps(std::string_view attribute) const {
    return orders_->find_attribute(attribute) < orders_->attributes();
  }
  // Calls visit(value, rows) for each value with players. REQUIRES: keeps(attribute).
  template <typename Visit>
  void each_segment(std::string_view attribute, Visit visit) const {
    orders_->each_segment(orders_->find_attribute(attribute), visit);
  }

  // The board continues with another order, which is empty.
  void follow(const EngineView& order);
  // Takes all rows of the order. REQUIRES: none was taken. O(n log n).
  void take_all();
  // Frees all of it. Called before the board is dropped, or when `segments` is taken off.
  void dismantle() { retire(std::move(orders_)); }

  // Hints that the player's row may change soon, as those of SegmentOrders.
  void prefetch_player(PlayerHandle player) const { orders_->prefetch_numbers(player); }
  void prefetch_row(PlayerHandle player) const { orders_->prefetch_segments(player); }
  // The player's row in the order may be about to change. Returns the player's handle, and looks it
  // up if there is none.
  PlayerHandle row_changes(const Player& player);
  // It changed, came or went. The handle is the one before. `next`: the row, if it is known.
  void row_changed(std::string_view player, PlayerHandle before, const RowKey* next);
  // The player's attributes are these now; returns whether a row moved.
  bool attributes_changed(std::string_view player, std::string_view attributes);
  void rank_by(Ranking ranking);

  // The players with a value. Valid until the board's next change. Fails with unknown if the board
  // has no segments of the attribute.
  Result<const Standings*> board(std::string_view attribute, std::string_view value) const;
  // The values with players, the largest first, equals by bytes. Fails as board().
  Result<std::vector<SegmentSize>> sizes(std::string_view attribute) const;

  std::size_t bytes() const { return sizeof *this + orders_->bytes(); }
  void check() const { orders_->check(); }

 private:
  std::unique_ptr<SegmentOrders> make_orders() const;
  void listen_again();
  void retire(std::unique_ptr<SegmentOrders> orders);
  std::string_view attributes_of(std::string_view player) const {
    return context_.profiles == nullptr ? "" : context_.profiles->attributes_of(player);
  }
  Result<std::size_t> find(std::string_view attribute) const;
  void tell_full();

  Context context_;
  std::vector<std::string> attributes_;
  std::size_t shown_;
  std::vector<std::string> heard_;
  SegmentListener* listener_ = nullptr;  // of those attributes
  SegmentForm form_;
  const EngineView* order_;
  std::unique_ptr<SegmentOrders> orders_;
  Arena arena_;
  bool told_full_ = false;
};

using SegmentedChange = FollowedChange<BoardSegments>;

}  // namespace laurel
