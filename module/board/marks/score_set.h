// score_set.h - a set of scores that counts how many of them are better than a given one.
//
//   memory   as a counted tree's, about 25 bytes a score.
//   cost     O(log n) for n scores.
//   threads  none of its own; one caller at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "rank/player/players.h"
#include "rank/score/score.h"
#include "rank/tree/counted_tree.h"

namespace laurel {

class ScoreSet {
 public:
  // `players` must outlive the set, which reads nothing of them.
  explicit ScoreSet(const Players& players) : tree_(players, Ties::earliest) {}

  // Adds the score, or removes it; nothing happens if that is so already.
  void set(ScoreKey score, bool is_member);
  std::size_t count_better(ScoreKey score) const { return tree_.count_better(score); }
  std::size_t bytes() const { return tree_.bytes() + free_.capacity() * sizeof(PlayerHandle); }

 private:
  // A row for each score. Its handle is a number of the set's own: no two rows have the same score,
  // so ids are never compared.
  CountedTree tree_;
  std::vector<PlayerHandle> free_;  // numbers that were used before
  PlayerHandle next_ = 0;
};

}  // namespace laurel
