// row_merge.h - iterates over the rows of several parts, best first.
//
//   question   one read of one part. A part is first asked for a few rows, and again when they run
//              out, so that few rows are read in vain.
//   round      the first questions to all parts, or all second questions, and so on: what could be
//              asked at once.
//   in memory  for rows in memory a question reads only what is compared, 24 bytes a row, and
//              counts like any other. The player's id is looked up when the row is taken.
//   views      the rows' views are valid until the parts' next change, and as long as the arena.
//   cost       p parts: O(p) to begin and O(log p) a row, in addition to the parts' reads.
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

// True if row a is before row b in the order of boards with these ties.
bool stands_before(const EngineRow& a, const EngineRow& b, Ties ties);

// The number of rows to ask a part for: in the first question, and in the second; 0: it is not
// asked again. Each further question to a part doubles the number of rows.
struct Asking {
  std::size_t first = 0;
  std::size_t again = 0;
};

// Sizes for taking n rows of p parts among which they are spread at random. The first question asks
// for the mean share plus its standard deviation, which is enough for most parts; the second asks
// for one more deviation.
Asking fair_share(std::size_t n, std::size_t parts);

class RowMerge {
 public:
  struct Parts {
    std::span<const EngineView* const> views;
    std::span<const std::size_t> starts;  // each part's first row to take; empty: from the best
    Ties ties;
  };

  // Begins a merge of which up to n rows will be taken. All arguments outlive it.
  RowMerge(const Parts& parts, std::size_t n, Asking asking, EngineReads& reads, Arena& arena);

  // Drops the next best row. REQUIRES: there is one, and fewer than n rows were taken.
  void skip();
  // Appends the next best rows to out until n rows were taken or no rows are left.
  void take_all(std::vector<EngineRow>& out);

  // True if a part may have a row that is better than one that was taken, because all rows that the
  // part was asked for were taken and it must not be asked again. Always false if `again` is above
  // 0.
  bool missed() const { return missed_; }

 private:
  // The state of one part.
  struct Lane {
    Lane(const EngineView& part, std::size_t start, std::size_t rows);

    std::uint32_t next = 0;  // the best row not taken yet
    std::uint32_t end = 0;   // the end of the rows that were asked for
    const EngineView* part;
    const CountedTree* tree;  // null if the part's rows are not in memory
    bool has_data;            // true if the tree's part has data
    RowCursor row;            // the next row to ask for
    std::size_t position;     // of that row in the part
    std::size_t ask;          // rows of the next question; 0: there is none
    std::uint32_t questions = 0;
  };
  // What is known of a row, besides its score.
  struct Known {
    Time at;
    PlayerHandle player;  // if the row is not in memory: its index in fetched_
  };
  using Part = std::uint32_t;
  // Boards have about 16 shards: an allocation would cost more than the first row.
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
  // Not inlined, since it would take registers from every match.
  [[gnu::noinline]] bool wins_tie(Part a, Part b) const;
  // The id of a row, as Players::read_id().
  std::string_view id_of(const Lane& lane, const Known& row, char*& room) const;
  void show(const Lane& lane, std::uint32_t row, EngineRow& out) const;

  const Ties ties_;
  const std::size_t again_;
  EngineReads& reads_;
  Arena& arena_;
  std::size_t left_;  // rows still to take
  std::uint32_t rounds_ = 0;
  bool missed_ = false;
  // The rows that were asked for. Scores are separate, since most matches compare only them.
  boost::container::small_vector<ScoreKey, kFewRows> scores_;
  boost::container::small_vector<Known, kFewRows> known_;
  std::vector<EngineRow> fetched_;  // of the parts whose rows are not in memory
  Few<Lane> lanes_;                 // one for each part
  // The tournament tree: the leaves are the lanes, an inner node stores the loser of its match and
  // the loser's score. The overall winner is in losers_[0].
  Few<Part> losers_;
  Few<ScoreKey> lost_with_;
};

}  // namespace laurel
