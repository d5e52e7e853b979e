// segment.h - the players of a board who have one value of an attribute, ranked among themselves.
//
//   rows     the scores and moments of the board's rows. Data is that of the board's own row.
//   players  are the registry's, also if the board's engine has tables of its own. The caller holds
//            each player who has a row.
//   board    what reads and loops use: made when it is asked for.
//   memory   for each row that of CountedTree: 10 to 20 bytes, or about 30 in a large segment.
//   cost     a change O(log n).
//   threads  as the board.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "board/standings/standings.h"
#include "engine/tree_view.h"
#include "rank/prefetch.h"

namespace laurel {

// How the rows of a board are shown, for the boards of its segments.
struct SegmentForm {
  ScoreForm scores;
  Ties ties;
  Ranking ranking;
  ScoreColumns::Ptr columns;
};

class SegmentRows final : public TreeView<EngineView> {
 public:
  // `order` is the board's; all outlive this.
  SegmentRows(Players& players, Ties ties, const EngineView& order)
      : TreeView(players, ties), players_(players), order_(order) {}

  std::optional<Row> row_of(PlayerHandle player) const { return tree_.find(player); }
  const CountedTree& tree() const { return tree_; }
  bool has(PlayerHandle player) const { return tree_.has(player); }
  // Prefetches what put() and erase() need of the player's row.
  void prefetch(PlayerHandle player) {
    tree_.prefetch_packed();
    tree_.prefetch_players({&player, 1});
    tree_.prefetch_rows({&player, 1});
  }
  void put(const Row& row) { tree_.put(row); }
  void erase(PlayerHandle player) { tree_.erase(player); }
  // Removes up to `rows` rows from the end, and lowers `rows` by their number. Releases their
  // players if asked to.
  enum class Releases : bool { no, yes };
  void cut(std::size_t& rows, Releases releases);

  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  Players* players_of(std::string_view) const override { return &players_; }
  void show(const Row& row, Arena& arena, EngineRow& out) const override;
  bool has_data() const override { return order_.has_data(); }
  std::size_t bytes() const { return tree_.bytes(); }
  void check() const { tree_.check(); }

 private:
  void fill(const Row& row, std::string_view id, EngineRow& out) const;

  Players& players_;
  const EngineView& order_;
};

// A segment as a board that is read only.
class SegmentBoard final : public Standings {
 public:
  SegmentBoard(const Players& players, const SegmentForm& form, const SegmentRows& rows)
      : Standings(players, form.scores, form.ties, form.ranking, &rows, form.columns) {}
  ~SegmentBoard() override { detach_cursors(); }

  using Standings::has_cursors;
  using Standings::rank_by;
  // Calls change(), which changes the player's row. `best` is the better score of before and after.
  template <typename Change>
  void change_member(std::string_view player, ScoreKey best, Change change) {
    change_row({player}, change);
    forget_top(best);
  }
  std::size_t bytes() const { return sizeof *this + read_bytes(); }
};

class Segment {
 public:
  Segment(Players& players, Ties ties, const EngineView& order) : rows_(players, ties, order) {}

  std::size_t size() const { return rows_.size(); }
  const SegmentRows& rows() const { return rows_; }
  bool has(PlayerHandle player) const { return rows_.has(player); }
  void prefetch(PlayerHandle player) { rows_.prefetch(player); }
  // Prefetches what prefetch() reads of the segment itself.
  void prefetch_head() const {
    const char* const head = reinterpret_cast<const char*>(this);
    for (std::size_t at = 0; at < sizeof *this; at += 64) laurel::prefetch(head + at);
    laurel::prefetch(head + sizeof *this - 1);
  }
  // The player's row is this one, whose handle is the player's. REQUIRES: `id` is not a view of the
  // board's rows.
  void put(std::string_view id, const Row& row);
  // REQUIRES: the player has a row.
  void erase(std::string_view id, PlayerHandle player);
  const SegmentBoard& board(const Players& players, const SegmentForm& form) const;
  bool has_board() const { return board_ != nullptr; }
  // Whether a loop over the board is not finished.
  bool has_loops() const { return board_ && board_->has_cursors(); }
  // Loops over it end.
  void end_board() const { board_.reset(); }
  void rank_by(Ranking ranking) const {
    if (board_) board_->rank_by(ranking);
  }
  // Frees up to `rows` rows, and lowers `rows` by their number. REQUIRES: it has no board.
  void cut(std::size_t& rows, SegmentRows::Releases releases = SegmentRows::Releases::no) {
    rows_.cut(rows, releases);
  }
  std::size_t bytes() const { return rows_.bytes() + (board_ ? board_->bytes() : 0); }
  void check() const { rows_.check(); }

 private:
  SegmentRows rows_;
  mutable std::unique_ptr<SegmentBoard> board_;  // null until it is asked for
};

}  // namespace laurel
