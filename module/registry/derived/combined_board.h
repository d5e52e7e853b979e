// combined_board.h - keeps the rows of one board that is made from several others.
//
//   current    a player's row is computed again from all sources when a source tells of a change of
//              that player. So the board is at any moment what its sources make, whatever wrote to
//              them.
//   outdated   after a change of all rows of a source (a reset, a clear, another `cap`), and when a
//              source comes or goes. Then nothing is followed until present() makes the rows again:
//              O(n log n) for n players on all sources, or on the smaller source of a ratio; for
//              "firsts" O(sources).
//   memory     a row for each listed player. Nothing is stored: the rows are made again when the
//              registry is opened.
//   cost       of a change of a source's row: a lookup in each source, and a write to a ranked
//              board. If the source says what its row will be, the new row is computed before the
//              source's changes, so that the memory of both places is fetched at once.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "board/board.h"
#include "board/registry_context.h"
#include "registry/derived/combined_score.h"
#include "registry/derived/derived_board.h"
#include "registry/derived/source_board.h"

namespace laurel {

class CombinedBoard final : public DerivedBoard {
 public:
  // REQUIRES: the board's spec is a combined one, complete. It has no rows yet.
  CombinedBoard(RegistryContext& context, Board& board);

  std::size_t size() const override { return parts_.size(); }
  void add(SourceBoard& source) override;
  void remove(const SourceBoard& source) override;
  void each_source(const std::function<void(SourceBoard& source)>& visit) const override {
    for (const Part& part : parts_) visit(*part.source);
  }

  void present(Time now) override;
  Time next_change_at() const override;
  const Board* seasons_of() const override { return nullptr; }
  bool takes_firsts() const override { return take_ == Take::firsts; }
  void prefetch_player(const SourceBoard& source, PlayerHandle player) const override;
  void prefetch_row(const SourceBoard& source, PlayerHandle player) const override;
  void player_will_change(const SourceBoard& source, const Player& player,
                          const RowKey& next) override;
  void player_changed(const Player& player) override;
  void all_changed() override;

 private:
  struct Part {
    SourceBoard* source;
    std::size_t place;  // among the names
  };

  // What a source will have of a player.
  struct Next {
    const SourceBoard* source;  // null: nothing is told
    RowKey row;
  };
  // Whether rows follow changes of single players on all sources.
  bool follows_players() const { return !outdated_ && !takes_firsts(); }
  void collect(const Player& player, const Next& next);
  // The player's row, as the sources have it, or will when `next` has come true.
  std::optional<RowKey> row_of(const Player& player, const Next& next = {});
  void make_anew();
  void take_each_of(std::size_t part, ScoreEngine& rows);
  void take(const Player& player, ScoreEngine& rows);

  RegistryContext& context_;
  Take take_;
  CombinedScore score_;
  std::vector<Part> parts_;
  bool outdated_ = true;
  bool told_of_stop_ = false;  // the log has a line about a score that stops
  // The row of the player who will change, if that was told.
  bool is_computed_ = false;
  std::optional<RowKey> computed_;
  // Memory for one player: what the sources have.
  Arena arena_;
  std::vector<SourcePart> collected_;
};

}  // namespace laurel
