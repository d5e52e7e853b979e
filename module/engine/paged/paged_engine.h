// paged_engine.h - everything, in the store: entry sets of at most 1,000 rows under manifests of at
// most 1,000, as many layers as it takes.
//
//   space      of a board, with keys that begin with a letter:
//                'h'            the head: where the root is, and counts (paged_tree.h)
//                'o' + number   an entry set or a manifest (paged_node.h)
//                'p' + id       a player's row (player_rows.h)
//                'g', 'l' + ..  in a durable store: notes of what changed since (page_notes.h)
//   version    what a store in memory holds of the space is always one board, that of a
//              write_back(). Writes between two of them are in the engine's memory alone.
//   durable    a durable store holds after every change the board that this change left: the pages
//              of the last write_back(), all players' newest rows, and notes of what those pages
//              hold of the players whose rows are newer. load() brings the pages up to the rows, in
//              memory; the notes stay until pages are written again. Pages at every tick would be
//              one of up to 100 KB for each submission; a row and its note are a hundred bytes.
//   reads      rank, position and the start of a page look at as many objects as there are layers,
//              rank and position at the player's row too. EngineReads counts them.
//   memory     kPagedCacheBytesMax for entry sets and manifests, and rows of players that wait to
//              be written; it does not grow with the board. Writing back takes as much again as it
//              writes, for the moment; on a durable store, where it takes longer, so do the pages
//              that change meanwhile, but neither rows nor notes are in memory.
//   writing    put and erase write back when changes reach three quarters of the cache's size; no
//              object is written for one submission alone. On a durable store also when there are
//              three quarters of kPagedLoggedMax notes, and in steps: pages are written as they are
//              when the write begins, each later call encodes kPagedNodesPerCall of them and those
//              that it is about to change, and the last one hands all to the store, with the head
//              and the end of the notes, in one batch. So that call costs a copy of the pages (6 ms
//              for 31 MB), and no call the encoding of all (20 ms more). A board that nobody
//              changes any more keeps what is encoded; nothing is lost with it.
//   views      that reads give are in the arena.
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
  // An empty board in a space of its own.
  PagedEngine(const EngineSpec& spec, EngineContext context, const PagedSizes& sizes = {});
  // The board that the space holds, on a durable store only after load(). REQUIRES: it was written
  // under the same order and ties.
  PagedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber space,
              const PagedSizes& sizes = {});
  // The board as a snapshot of the store has it, for one thread: that of the last write_back(), on
  // a durable store that of the last change, which takes what load() takes. The snapshot and the
  // counters outlive it; the store is not touched.
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
  void begin_write();
  void end_write();

  Space space_;
  Ties ties_;
  std::size_t changed_bytes_max_;
  std::size_t notes_max_;
  PagedTree tree_;
  std::optional<PageNotes> notes_;  // on a durable store
  PlayerRows players_;
  Batch batch_;          // of the write at work
  bool writes_ = false;  // whether one is
};

}  // namespace laurel
