// window_sums.h - what a player's activity comes to, now and in every bucket to come.
//
//   amount   the activity of one player in one bucket, added up.
//   window   at bucket D, the N buckets that end with D: what is older has fallen out.
//   sum      F[D], that of the amounts in the window at D. Amounts are added from the newest to the
//            oldest: so the sum at every later bucket is one that was passed on the way, all of
//            them cost one addition each, and the order in which buckets were filled does not show.
//            Exact with decimals, IEEE addition without.
//   step     a stretch of buckets with one sum. From the newest amount's bucket on F changes only
//            where an older one falls out, so that k amounts make at most k steps; behind the last
//            step nothing counts.
//   amounts  lists of them are oldest first, each of another bucket.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/engine_spec.h"
#include "engine/rolling/bucket_span.h"
#include "rank/score.h"

namespace laurel {

struct Amount {
  Bucket bucket = 0;
  ScoreKey amount = 0;

  friend bool operator==(const Amount&, const Amount&) = default;
};

class WindowSums {
 public:
  // REQUIRES: 1 to kBucketsMax buckets.
  explicit WindowSums(const EngineSpec& spec);

  int buckets() const { return buckets_; }
  ScoreKey zero() const { return zero_; }
  // Whether a player with this sum is listed.
  bool positive(ScoreKey sum) const;

  // Those amounts that the window at this bucket counts. REQUIRES: none is newer than the bucket.
  std::span<const Amount> counting(std::span<const Amount> amounts, Bucket at) const;
  // Their sum; nothing when there are none.
  std::optional<ScoreKey> sum(std::span<const Amount> amounts, Bucket at) const;

  // The amounts, all of one window, with one more in it; nothing when an amount or the sum in any
  // bucket to come is out of range.
  std::optional<std::vector<Amount>> with(std::span<const Amount> amounts, Amount more) const;

  // Whether the sums in all buckets to come are. REQUIRES: the amounts lie in one window.
  bool in_range(std::span<const Amount> amounts) const;

  // Calls take(first, last, sum) for each step of the amounts, the latest first; neighbours have
  // different sums. REQUIRES: the amounts lie in one window, and no sum is out of range.
  template <typename Take>
  void steps(std::span<const Amount> amounts, Take take) const {
    if (amounts.empty()) return;
    std::size_t oldest = amounts.size() - 1;
    ScoreKey sum = amounts[oldest].amount;
    Bucket last = falls_out(amounts[oldest]) - 1;
    while (oldest-- > 0) {
      const ScoreKey before = *form_.sum(sum, amounts[oldest].amount);
      if (before == sum) continue;
      const Bucket first = falls_out(amounts[oldest]);
      take(first, last, sum);
      last = first - 1;
      sum = before;
    }
    take(amounts.back().bucket, last, sum);
  }

 private:
  // The first bucket whose window has left the amount behind.
  Bucket falls_out(const Amount& amount) const { return amount.bucket + buckets_; }

  ScoreForm form_;
  int buckets_;
  ScoreKey zero_;
};

}  // namespace laurel
