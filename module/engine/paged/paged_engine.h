// paged_engine.h - all rows in the store: entry sets of at most 1,000 rows under manifests of at
// most 1,000 children, in any number of layers.
//
//   space      the keys of a board begin with a letter:
//                'h'            the head: the root and counts (paged_tree.h)
//                'o' + number   an entry set or a manifest (paged_node.h)
//                'p' + id       a player's row (player_rows.h)
//                'g', 'l' + ..  in a durable store: notes of later changes (change_buffer.h)
//   version    a memory store always holds one consistent board: that of a write_back(). Changes
//              since then are only in the engine's memory.
//   durable    a durable store holds every change at once: the pages of the last write_back(), the
//              newest rows of all players, and for players with newer rows notes of what the pages
//              hold. load() brings the pages up to date in memory; the notes stay until pages are
//              written again. Writing pages at every tick would cost up to 100 KB a submission; a
//              row and its note are a hundred bytes.
//   reads      rank, position and the start of a page access one object on each layer; rank and
//              position also the player's row. A fractional rank may access two on each layer: it
//              looks for both ends of the equals. EngineReads counts them.
//   memory     kPagedCacheBytesMax for entry sets and manifests, and the player rows that wait to
//              be written; it does not grow with the board. During a write back the batch needs as
//              much again as it writes. On a durable store a write takes longer, so that the pages
//              that change meanwhile also count, but neither rows nor notes are in memory.
//   writing    put and erase write back when changes reach three quarters of the cache's size; no
//              page is written for a single submission. A durable store is also written when there
//              are three quarters of kPagedLoggedMax notes, and in steps: pages are written as they
//              are when the write begins. Each later call encodes kPagedNodesPerCall of them and
//              those that it is about to change. The last call commits all of them with the head
//              and the end of the notes in one batch. So that call costs a copy of the pages (6 ms
//              for 31 MB), and no call encodes all of them (20 ms more). If the board is not
//              changed again, the encoded pages stay in memory; no data is lost with them.
//   views      returned by reads are in the arena.
//   cost       O(layers) objects a call; on a durable store a change writes one batch of a row and
//              a note. load O(layers) objects a note.
//   threads    one caller at a time, reads included. Other threads read snapshots of the store,
//              each through an engine of its own: see at().
#pragma once

#include <memory>

#include "engine/paged/paged_tree.h"
#include "engine/paged/player_rows.h"

namespace laurel {

class PagedEngine final : public ScoreEngine {
 public:
  // An empty board in a new space.
  PagedEngine(const EngineSpec& spec, EngineContext context, const PagedSizes& sizes = {});
  // The board in the space; on a durable store only after load(). REQUIRES: it was written with the
  // same order and ties.
  PagedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space,
              const PagedSizes& sizes = {});
  // The board of a snapshot of the store, for one thread: as of the last write_back(), on a durable
  // store as of the last change, which costs as much as load(). The snapshot and the counters
  // outlive it; the store is not accessed.
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
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override;
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override;
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
  void load(const LoadProgress& progress) override;
  void write_back() override;
  bool dismantle(std::size_t rows) override;
  std::size_t bytes() const override {
    return sizeof *this + tree_.bytes() + players_.bytes() + batch_.bytes();
  }
  void check() const override;

 private:
  PagedEngine(const EngineSpec& spec, const Space& space, const Reader& reader, EngineReads& reads,
              const PagedSizes& sizes);

  void write_some_if_much();
  void write_some();
  void begin_write();
  void end_write();

  Space space_;
  Ties ties_;
  std::size_t changed_bytes_max_;
  std::size_t notes_max_;
  PagedTree tree_;
  std::optional<ChangeBuffer> notes_;  // durable stores only
  PlayerRows players_;
  Batch batch_;          // of the write in progress
  bool writes_ = false;  // a write is in progress
};

}  // namespace laurel
