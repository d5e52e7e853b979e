// window_sums.h - the sums of a player's activity, now and in each future bucket.
//
//   amount   the total activity of one player in one bucket.
//   window   at bucket D, the N buckets that end with D.
//   sum      F[D], the sum of the amounts in the window at D. Amounts are added from the newest to
//            the oldest. So the sum of each later bucket is one of the partial sums, all of them
//            together cost one addition an amount, and the order in which buckets were filled has
//            no effect. Exact with decimals, IEEE addition without.
//   step     a range of buckets with one sum. After the newest amount's bucket F changes only when
//            an older amount falls out, so k amounts make at most k steps; after the last step
//            nothing counts.
//   amounts  lists are ordered from the oldest, with at most one amount a bucket.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/engine_spec.h"
#include "engine/rolling/bucket_span.h"
#include "rank/score/score.h"

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
  // True if a player with this sum is listed.
  bool positive(ScoreKey sum) const;

  // The amounts that count at this bucket. REQUIRES: none is newer than the bucket.
  std::span<const Amount> counting(std::span<const Amount> amounts, Bucket at) const;
  // Their sum; nullopt if no amount counts.
  std::optional<ScoreKey> sum(std::span<const Amount> amounts, Bucket at) const;

  // The amounts with one more added; all are in one window. nullopt if an amount, or the sum in any
  // future bucket, is out of range.
  std::optional<std::vector<Amount>> with(std::span<const Amount> amounts, Amount more) const;

  // True if the sums in all future buckets are in range. REQUIRES: the amounts are in one window.
  bool in_range(std::span<const Amount> amounts) const;

  // Calls take(first, last, sum) for each step of the amounts, the latest first; adjacent steps
  // have different sums. REQUIRES: the amounts are in one window, and no sum is out of range.
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
  // The first bucket whose window no longer contains the amount.
  Bucket falls_out(const Amount& amount) const { return amount.bucket + buckets_; }

  ScoreForm form_;
  int buckets_;
  ScoreKey zero_;
};

}  // namespace laurel
