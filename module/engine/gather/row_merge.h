// row_merge.h - the rows of several parts one after the other, best first.
//
//   question   one read of one part. Parts are asked for a few rows each and asked again as their
//              rows run out, so that hardly more is read than is taken.
//   round      the first questions to all parts, or the second ones to those that were asked twice,
//              and so on: what could be asked at once.
//   in memory  of rows that lie in memory a question reads what is compared, 24 bytes each, and is
//              counted like any other; who is in a row is looked up when it is taken.
//   views      what rows show is valid until the parts' next change.
//   cost       p parts: O(p) to begin and O(log p) a row, besides the parts' reads.
//   source     the tree of losers: D. Knuth, TAOCP 3, 5.4.1
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "engine/engine.h"

namespace laurel {

// Whether row a stands before row b in the order of boards with these ties.
bool stands_before(const EngineRow& a, const EngineRow& b, Ties ties);

// How many rows a part is asked for: at first, and when those have run out; 0: never again. Each
// further question to one part asks for twice as many as the one before.
struct Asking {
  std::size_t first = 0;
  std::size_t again = 0;
};

// For taking n rows of p parts among which they are spread by chance: the fair share and its
// standard deviation at first, which most parts have enough of, then as much as they may lack.
Asking fair_share(std::size_t n, std::size_t parts);

class RowMerge {
 public:
  struct Parts {
    std::span<const EngineView* const> views;
    std::span<const std::size_t> starts;  // the first row of each to take; empty: all from the best
    Ties ties;
  };

  // Begins a merge of which n rows will be taken. All that is handed in outlives it.
  RowMerge(const Parts& parts, std::size_t n, Asking asking, EngineReads& reads, Arena& arena);

  // Takes the best row of those not taken yet. REQUIRES: there is one, and fewer than n were taken.
  void skip();
  // Takes rows and appends them to out until n were taken or there are no more.
  void take_all(std::vector<EngineRow>& out);

  // Whether a part may have held a row better than one that was taken: it had been asked for all
  // that it was to be asked for, and those rows had run out. Never with `again` above 0.
  bool missed() const { return missed_; }

 private:
  // What is left of one part.
  struct Lane {
    Lane(const EngineView& part, std::size_t start, std::size_t rows);

    std::uint32_t next = 0;  // of what was asked for, the best not taken
    std::uint32_t end = 0;   // behind all of that
    const EngineView* part;
    const CountedTree* tree;  // of a part whose rows lie in memory
    bool has_data;            // of such rows
    RowCursor row;            // on the next of them to ask for
    std::size_t position;     // of that in the part
    std::size_t ask;          // rows of the next question; 0: there is none
    std::uint32_t questions = 0;
  };
  // What is known of a row that was asked for, besides its score.
  struct Known {
    Time at;
    PlayerHandle player;  // in memory; elsewhere where the row is in fetched_
  };
  using Part = std::uint32_t;
  // Boards have some 16 shards: allocating costs more than the first row.
  template <typename T>
  using Few = boost::container::small_vector<T, 16>;
  static constexpr std::size_t kFewRows = 192;

  bool is_empty(Part part) const { return lanes_[part].next == lanes_[part].end; }
  void ask(Lane& lane);
  void read_in_memory(Lane& lane, std::size_t n);
  void fetch(Lane& lane, std::size_t n);
  void advance();
  ScoreKey best_score(Part part) const;
  void enter(Part part);
  void climb(Part part);
  // Apart, since what it needs would take registers from every match.
  [[gnu::noinline]] bool wins_tie(Part a, Part b) const;
  void show(const Lane& lane, std::uint32_t row, EngineRow& out) const;

  const Ties ties_;
  const std::size_t again_;
  EngineReads& reads_;
  Arena& arena_;
  std::size_t left_;  // rows to take
  std::uint32_t rounds_ = 0;
  bool missed_ = false;
  // The rows that were asked for; scores apart, since they are all that most matches compare.
  boost::container::small_vector<ScoreKey, kFewRows> scores_;
  boost::container::small_vector<Known, kFewRows> known_;
  std::vector<EngineRow> fetched_;  // of the parts whose rows do not lie in memory
  Few<Lane> lanes_;                 // one a part
  // The tournament, a tree of matches whose leaves the lanes are: who lost each of them, and with
  // which score. Who won the last one stands in front.
  Few<Part> losers_;
  Few<ScoreKey> lost_with_;
};

}  // namespace laurel
