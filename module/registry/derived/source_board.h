// source_board.h - a board that others are made from: passes on which players its changes concern.
//
//   concerned   the player whose row changed. A row that comes first or ceases to be first changes
//               on how many boards its player is first; on a capped board the last row that is
//               shown may come or go with another player's. So the first and the last player are
//               noted.
//   threads     as the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "board/board.h"
#include "board/segments/segment_orders.h"

namespace laurel {

class SourceBoard;

// A board that is made from sources.
class SourceFollower {
 public:
  virtual ~SourceFollower() = default;
  // Whether only the first rows of sources count.
  virtual bool takes_firsts() const = 0;
  // As RowListener's: what this source has of the player may change soon, and will be `next`. If
  // that is told, player_changed() of this player follows, before any other change.
  virtual void prefetch_player(const SourceBoard& source, PlayerHandle player) const = 0;
  virtual void prefetch_row(const SourceBoard& source, PlayerHandle player) const = 0;
  virtual void player_will_change(const SourceBoard& source, const Player& player,
                                  const RowKey& next) = 0;
  // What the sources have of this player may have changed.
  virtual void player_changed(const Player& player) = 0;
  // Anything may have changed.
  virtual void all_changed() = 0;
  // As RowListener's. A combined board has no seasons, and does not look at attributes.
  virtual void attributes_changed(std::string_view, std::string_view) {}
  virtual void season_will_end() {}
  virtual void season_ended(Time) {}
  // As SegmentListener's, of the follower's attribute.
  virtual void segment_changed(std::string_view, const SegmentRows&, const Row*, const Row*) {}
  // The attribute whose order it needs, and the one whose changes it has to hear of; empty: none.
  virtual std::string_view ordered_by() const { return {}; }
  virtual bool hears_attributes() const { return false; }
};

class SourceBoard final : public RowListener, public SegmentListener {
 public:
  // Listens to the board, which outlives it or its last call of stop(). `players` are the
  // registry's.
  SourceBoard(Board& board, const Players& players);
  // The board's changes are not heard from now on.
  void stop();

  const Board& board() const { return board_; }
  Board& board() { return board_; }
  const ScoreForm& form() const { return form_; }
  void add(SourceFollower& follower);
  // Returns whether any follower is left.
  bool remove(const SourceFollower& follower);
  // Has the board keep the orders that followers need, in segments that are not shown; or only
  // those of them that it keeps already. May throw std::bad_alloc, if it makes one; then nothing
  // has changed.
  enum class Orders : std::uint8_t { needed, kept };
  void order(Orders which = Orders::needed);
  // Looks up the first and the last player: after all_changed(), before followers are current.
  void note_edges();
  // The player who stands first; empty if there is none. REQUIRES: a follower takes firsts, and
  // note_edges() was called.
  const std::string& first() const { return first_; }

  void prefetch_player(PlayerHandle player) const override;
  void prefetch_row(PlayerHandle player) const override;
  void row_will_change(const Player& player, const RowKey* next) override;
  void row_changed(const Player& player) override;
  void all_changed() override;
  void attributes_changed(std::string_view player, std::string_view attributes) override;
  void season_will_end() override;
  void season_ended(Time ended) override;
  std::size_t followers() const override { return followers_.size(); }
  void segment_changed(std::string_view attribute, std::string_view value, const SegmentRows& rows,
                       const Row* before, const Row* after) override;

 private:
  // Notes the player at this position. Returns whether it is another one than before, who is then
  // in `before`.
  bool note(std::string& player, std::size_t position, std::string& before);

  Board& board_;
  const Players& players_;
  ScoreForm form_;
  bool is_capped_;
  bool has_firsts_ = false;  // a follower takes firsts
  std::vector<SourceFollower*> followers_;
  std::string first_;
  std::string last_;  // of a capped board
  // Memory for one change.
  std::string first_before_;
  std::string last_before_;
  Arena arena_;
  std::vector<EngineRow> row_;
};

}  // namespace laurel
