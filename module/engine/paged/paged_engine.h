// paged_engine.h - everything, in the store: entry sets of at most 1,000 rows under manifests of at
// most 1,000, as many layers as it takes.
//
//   space      of a board, with keys that begin with a letter:
//                'h'            the head: where the root is, and counts (paged_tree.h)
//                'o' + number   an entry set or a manifest (paged_node.h)
//                'p' + id       a player's row (player_rows.h)
//   version    what the store holds of the space is always one board, that of a write_back().
//              Writes between two of them are in memory alone, and gone if the engine ends first.
//   reads      rank, position and the start of a page look at as many objects as there are layers,
//              rank and position at the player's row too. EngineReads counts them.
//   memory     kPagedCacheBytesMax for entry sets and manifests, and rows of players that wait to
//              be written; it does not grow with the board. Writing back takes as much again as it
//              writes, for the moment. Changes that reach three quarters of the cache's size are
//              written back within put or erase; no object is written for one submission alone.
//   views      that reads give are in the arena.
//   cost       O(layers) objects a call.
//   threads    one caller at a time, reads included. Other threads read snapshots of the store,
//              each through an engine of its own: see at().
#pragma once

#include <memory>

#include "engine/paged/paged_tree.h"
#include "engine/paged/player_rows.h"

namespace laurel {

class PagedEngine final : public ScoreEngine {
 public:
  // An empty board in a space of its own.
  PagedEngine(const EngineSpec& spec, EngineContext context, const PagedSizes& sizes = {});
  // The board that the space holds. REQUIRES: it was written under the same order and ties.
  PagedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space,
              const PagedSizes& sizes = {});
  // The board as a snapshot of the store has it, for one thread. The snapshot and the counters
  // outlive it; the store is not touched.
  static std::unique_ptr<const PagedEngine> at(const EngineSpec& spec, const Space& space,
                                               const Reader& snapshot, EngineReads& reads,
                                               const PagedSizes& sizes = {});
  PagedEngine(const PagedEngine&) = delete;
  PagedEngine& operator=(const PagedEngine&) = delete;

  const Space& space() const { return space_; }
  PagedLayout layout() const { return tree_.layout(); }

  std::size_t size() const override { return tree_.size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const override;
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const override;
  std::size_t count_better(ScoreKey score) const override { return tree_.rows_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override { return tree_.rows_not_worse(score); }
  std::size_t distinct_better(ScoreKey score) const override {
    return tree_.distinct_better(score);
  }
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    tree_.read(first, n, arena, out);
  }

  void put(const Player& player, const EngineRow& row) override;
  bool erase(const Player& player) override;
  void write_back() override;
  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const override { return sizeof *this + tree_.bytes() + players_.bytes(); }
  void check() const override;

 private:
  PagedEngine(const EngineSpec& spec, const Space& space, const Reader& reader, EngineReads& reads,
              const PagedSizes& sizes);

  void write_back_if_much();

  Space space_;
  Ties ties_;
  std::size_t changed_bytes_max_;
  PagedTree tree_;
  PlayerRows players_;
};

}  // namespace laurel
