// source_board.h - a board that others are made from: passes on which players its changes concern.
//
//   concerned   the player whose row changed. A row that comes first or ceases to be first changes
//               on how many boards its player is first; on a capped board the last row that is
//               shown may come or go with another player's. So the first and the last player are
//               noted.
//   threads     as the board.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "board/board.h"

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
};

class SourceBoard final : public RowListener {
 public:
  // Listens to the board, which outlives it or its last call of stop(). `players` are the
  // registry's.
  SourceBoard(Board& board, const Players& players);
  // The board's changes are not heard from now on.
  void stop() { board_.listen(nullptr); }

  const Board& board() const { return board_; }
  Board& board() { return board_; }
  const ScoreForm& form() const { return form_; }
  void add(SourceFollower& follower);
  // Returns whether any follower is left.
  bool remove(const SourceFollower& follower);
  const std::vector<SourceFollower*>& followers() const { return followers_; }
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

 private:
  // Notes who is at this position. Returns whether that is another player, who was there before in
  // `before`.
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
