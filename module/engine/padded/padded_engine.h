// padded_engine.h - all rows in a store, under keys that sort like the scores: the leaderboard of
// the single-table design.
//
//   keys    SCORE#... of padded_keys.h, one a row; PLAYER#<id>, so that finding a player is one
//           read; SIZE. Both rows of a player hold the whole packed row, so that a page is one
//           scan.
//   writes  one batch each: a snapshot shows a player exactly once.
//   memory  does not grow with the board, except for key_counts.h, 0.4 bytes a row once ranks were
//           prepared.
//   cost    find, put, erase, and rows behind a place: O(log n). Rank, position, counts and pages:
//           one key for each row before it, counted in EngineReads::entries. Good for tops, ranges
//           and ranks near the top. After prepare_ranks at most about 100 keys.
//   owner   the rows stay in the store when the engine ends; dismantle erases them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/padded/key_counts.h"
#include "engine/padded/padded_keys.h"

namespace laurel {

class PaddedWalk;

class PaddedEngine final : public ScoreEngine {
 public:
  // An empty board in a new space. REQUIRES: the spec has decimals.
  PaddedEngine(const EngineSpec& spec, EngineContext context);
  // The board that an engine of the same spec left in the space. `block_keys`: of its key_counts.h.
  PaddedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space,
               std::size_t block_keys = KeyCounts::kBlockKeys);

  SpaceNumber space() const { return space_.number(); }
  // The key of the player's row, in readable form.
  std::optional<std::string> key(const Player& player) const;

  std::size_t size() const override { return size_; }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  // REQUIRES: fits(row.score).
  void put(const Player& player, const EngineRow& row) override;
  bool fits(ScoreKey score) const override { return keys_.fits(score); }
  bool erase(const Player& player) override;
  void each_packed(const PackedVisitor& visit) const override;
  // In key order; the row at `place` may have been erased.
  void scan(std::string& place, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  bool dismantle(std::size_t rows) override;
  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override;
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override;
  std::size_t count_better(ScoreKey score) const override { return count(keys_.better(score)); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return count(keys_.not_worse(score));
  }
  std::size_t distinct_better(ScoreKey score) const override;
  std::size_t count_between(ScoreKey best, ScoreKey worst) const override {
    return count(keys_.between(best, worst));
  }
  bool prepare_ranks(Ranking ranking, std::size_t rows) const override;
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  // Seeks the place's key: O(log n + n rows).
  void read_behind(const EngineRow* place, std::size_t first, std::size_t n, Arena& arena,
                   std::vector<EngineRow>& out) const override;
  std::size_t bytes() const override;
  void check() const override;

 private:
  std::optional<EngineRow> row_of(const Player& player) const;
  std::size_t count(const KeyRange& range) const;
  std::size_t count_before(const EngineRow& row) const;
  void take(PaddedWalk& walk, bool stands, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const;
  void put_size(Batch& batch, std::size_t size);
  void write(const Batch& batch, std::string_view erased, std::string_view inserted);

  PaddedKeys keys_;
  Ties ties_;
  Space space_;
  EngineReads& reads_;
  const std::size_t block_keys_;
  std::size_t size_ = 0;
  mutable std::unique_ptr<KeyCounts> counts_;  // null until ranks are prepared
};

}  // namespace laurel
