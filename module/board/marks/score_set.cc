#include "board/marks/score_set.h"

#include <array>

namespace laurel {

void ScoreSet::set(ScoreKey score, bool is_member) {
  std::array<Row, 1> row;
  const bool has = tree_.read(tree_.count_better(score), row) == 1 && row.front().score == score;
  if (has == is_member) return;
  if (!is_member) {
    tree_.erase(row.front().player);
    free_.push_back(row.front().player);
    return;
  }
  PlayerHandle number = next_;
  if (free_.empty()) {
    ++next_;
  } else {
    number = free_.back();
    free_.pop_back();
  }
  tree_.put({score, 0, number});
}

}  // namespace laurel
