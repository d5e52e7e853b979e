// combined_score.h - the score of a player on a combined board, from the scores on its sources.
//
//   part      what one source has of the player. It counts if the source lists the player; for
//             "firsts" only if the player stands first there.
//   exact     sums, and ratios of two exact decimals, are exact before they are rounded to the
//             board's decimals, half away from zero. A ratio of Lua numbers is the nearest double,
//             and is rounded as submitted scores are.
//   range     a score stops at +-(2^53 - 1) units of its last decimal; then `stopped` is set.
//   threads   none: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "board/spec/source_list.h"
#include "board/spec/spec.h"
#include "rank/score/score.h"

namespace laurel {

// A player's row on one source.
struct SourcePart {
  std::size_t source = 0;  // for a sum: its place among the weights
  const ScoreForm* form = nullptr;
  ScoreKey score = 0;
  Time at = 0;
};

struct CombinedRow {
  ScoreKey score = 0;
  Time at = 0;  // the latest one of the parts
  bool stopped = false;
};

class CombinedScore {
 public:
  // REQUIRES: a combined board's spec, with `decimals`.
  explicit CombinedScore(const Spec& spec);

  // The row that these parts make, which are in the order of the sources; nothing if the player is
  // not listed. REQUIRES: for a sum, their forms have decimals.
  std::optional<CombinedRow> of(std::span<const SourcePart> parts) const;

 private:
  struct Scaled {
    std::int64_t score = 0;  // x 10^decimals
    bool stopped = false;
  };
  Scaled sum(std::span<const SourcePart> parts) const;
  std::optional<Scaled> ratio(std::span<const SourcePart> parts) const;

  Take take_;
  ScoreForm form_;
  int decimals_;
  double least_;
  Weights weights_;  // empty: each source counts once
};

}  // namespace laurel
