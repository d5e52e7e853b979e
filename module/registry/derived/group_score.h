// group_score.h - the score of a group, from the scores of the members that count.
//
//   exact    a sum is exact in units of the source's last decimal. A mean is the exact quotient,
//            rounded to the board's decimals, half away from zero.
//   range    a score stops at +-(2^53 - 1) units of its last decimal; then `stopped` is set.
//   threads  none: a value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "board/spec/spec.h"
#include "rank/score/score.h"
#include "registry/derived/exact_number.h"

namespace laurel {

class GroupScore {
 public:
  // REQUIRES: a board of groups, complete, with take "sum" or "mean"; `source` has decimals.
  GroupScore(const Spec& spec, const ScoreForm& source);

  // The member's score in units of the source's last decimal.
  std::int64_t scaled(ScoreKey member) const { return source_.scaled(member); }
  // The key of the group's score, from the sum of the scaled scores of `members` members.
  // REQUIRES: members > 0.
  ScoreKey of(Wide sum, std::size_t members, bool& stopped) const;

 private:
  ScoreForm source_;
  ScoreForm form_;
  bool is_mean_;
};

}  // namespace laurel
