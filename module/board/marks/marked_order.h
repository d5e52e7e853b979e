// marked_order.h - the order of a board at a mark, as its differences from an order of now.
//
//   base      the present order: rows of players, as an engine has them. Either it still changes,
//             and the caller tells of each change, or it was put aside and does not change.
//   changed   a player whose row is another one than at the mark. Of those it has the rows at the
//             mark (`was`), and counts their rows in the base (`now`). A number of rows at the mark
//             is that of the base, less that of `now`, plus that of `was`.
//   now       if ties are by time, it keeps only the scores of rows that are later than the mark:
//             no row at the mark is between two equal ones of them. Other rows are kept whole.
//   begin     nothing is copied or read when a mark is set: an empty MarkedOrder is the base as it
//             is now.
//   dense     the number of distinct scores is not such a sum. If it is asked for, two more sets
//             have the scores that only the base has, and those that only the mark has. That costs
//             a change six more counts, and a base of several shards counts in each of them.
//   players   are of the registry, and held while they are changed.
//   memory    about 38 bytes for a changed player: 27 for the row at the mark, 11 for a score of
//             now. A row of now that is kept whole takes 27.
//   cost      n rows, c changed players: a change O(log c), and a rank O(log n + log c) plus the
//             costs of the base. If a player had a row of the future at the mark (a submission's
//             own `at`), a rank reads all rows of now with the same score.
//   threads   none of its own; one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "board/reclaimer.h"
#include "engine/engine.h"
#include "rank/player/player_numbers.h"
#include "rank/tree/counted_scores.h"
#include "rank/tree/counted_tree.h"
#include "rank/tree/ranking.h"

namespace laurel {

class MarkedOrder final : public Reclaimable {
 public:
  // `players` must outlive it. `at` is when the mark is set; answers do not depend on it, but the
  // fewer rows at the mark are later than it, the less a rank costs.
  MarkedOrder(Players& players, Ties ties, Time at);
  ~MarkedOrder() override;
  MarkedOrder(const MarkedOrder&) = delete;
  MarkedOrder& operator=(const MarkedOrder&) = delete;

  // ---- changes of the base

  // What a change meant: the player was not changed before, or is as at the mark again.
  enum class Noted : std::uint8_t { nothing, begins, ends };
  // The base has another row of the player now, or none. The handle is the player's after the
  // change. REQUIRES: before != after; of all rows that changed in the base, each is told of.
  Noted changed(const EngineView& base, const Player& player, const std::optional<RowKey>& before,
                const std::optional<RowKey>& after);
  // Hints, in this order, that the rows of players will change: for the places of their new scores,
  // and the players. At most CountedTree::kPrefetchMax. No answer depends on them.
  void prefetch_paths(std::span<const ScoreKey> scores);
  void prefetch_players(std::span<const PlayerHandle> players);
  // Prefetches what changed() will need, if the player's row is `before`.
  void prefetch(PlayerHandle player, const std::optional<RowKey>& before);
  // Restores a changed player: the row at the mark, if any. REQUIRES: the player is not changed.
  void restore(const EngineView& base, std::string_view player, const std::optional<RowKey>& was);

  // Removes the player from the order at the mark. REQUIRES: the base has no row of the player.
  // Returns whether there was a row.
  bool forget(const EngineView& base, std::string_view player);
  // Gives the row at the mark to another player, who had none. REQUIRES: the base has no row of
  // `from`. Returns whether there was a row.
  bool rename(const EngineView& base, std::string_view from, std::string_view to);

  // Begins to count distinct scores, or ends it. O(c log n) to begin.
  void count_distinct(const EngineView& base, bool counts);

  // ---- reading; `base` is the order that the changes were of

  // The player's row at the mark.
  std::optional<RowKey> find(const EngineView& base, const Player& player) const;
  // The player's rank at the mark. REQUIRES: `key` is the player's row at the mark; for dense
  // ranks, distinct scores are counted.
  Rank rank(const EngineView& base, EngineReads& reads, std::string_view player, const RowKey& key,
            Ranking ranking) const;
  // Whether the player is changed, ranked at the mark or not.
  bool has(PlayerHandle player) const {
    return player != kNoPlayer && (was_.has(player) || is_new(player));
  }
  bool empty() const { return was_.size() == 0 && now_.size() == 0 && later_.size() == 0; }
  // Calls visit(player, row at the mark or nullopt) for each changed player.
  template <typename Visit>
  void each(Visit visit) const {
    each_row(was_, [&](const Row& row) {
      const IdText id = players_.id(row.player);
      visit(id.view(), std::optional(RowKey{row.score, row.at}));
    });
    new_.each([&](PlayerHandle player, std::uint32_t) {
      const IdText id = players_.id(player);
      visit(id.view(), std::optional<RowKey>());
    });
  }

  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const;
  void check() const;  // for tests

 private:
  // The counts at the mark, as rank_of_row() asks for them.
  struct Counts;
  // The scores that either the base or the mark has, but not both.
  struct Distinct {
    CountedScores only_now;
    CountedScores only_then;
  };

  template <typename Visit>
  static void each_row(const CountedTree& tree, Visit visit) {
    for (RowCursor row = tree.from(0, tree.size()); !row.at_end(); row.next()) {
      visit(tree.order().row(row.place()));
    }
  }
  bool is_new(PlayerHandle player) const { return new_.find(player) != kNoNumber; }
  // Whether only the score of a row of now is kept.
  bool is_later(const RowKey& key) const { return now_.order().is_by_time() && key.at > at_; }
  PlayerHandle begin(const Player& player, const std::optional<RowKey>& was);
  bool end(PlayerHandle player);
  PlayerHandle put(CountedTree& tree, const Player& player, const RowKey& key);
  bool erase(CountedTree& tree, PlayerHandle player);
  void put_now(PlayerHandle player, const RowKey& key);
  void take_now(PlayerHandle player, const RowKey& key);
  static std::size_t rows_before(const CountedTree& tree, const Row& row);
  std::size_t later_before(const EngineView& base, const RowKey& key) const;
  void look_at(const EngineView& base, ScoreKey score);
  bool cut(CountedTree& tree, std::size_t& rows);

  Players& players_;
  const Time at_;
  CountedTree was_;                     // the rows of changed players at the mark
  PlayerNumbers new_;                   // the changed players who had none; each number is 0
  CountedScores later_;                 // rows of changed players in the base: of later rows the
  CountedTree now_;                     // scores, and all other rows
  std::unique_ptr<Distinct> distinct_;  // null: not counted
};

}  // namespace laurel
