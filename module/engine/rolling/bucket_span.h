// bucket_span.h - spans of buckets of a rolling window, and how a range is divided into them.
//
//   bucket  a period of fixed length, numbered from the epoch: floor(time / length).
//   span    2^level buckets, aligned: the i-th of level l is [i * 2^l, (i + 1) * 2^l). A bucket is
//           in one span of each level.
//   cover   the smallest set of disjoint spans that make up a range: at most 2 log2(w) for w
//           buckets.
//   source  the nodes of a segment tree, J. Bentley, 1977
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/limits.h"

namespace laurel {

using Bucket = std::int64_t;

// The highest level whose spans are at most `buckets` long.
constexpr int level_within(Bucket buckets) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(buckets))) - 1;
}

// The number of levels whose spans fit into the longest window: of 1, 2, 4, ... 256 buckets.
inline constexpr int kSpanLevelsMax = level_within(kBucketsMax) + 1;

struct BucketSpan {
  int level = 0;
  Bucket index = 0;

  Bucket first() const { return index << level; }
  Bucket last() const { return ((index + 1) << level) - 1; }

  friend bool operator==(const BucketSpan&, const BucketSpan&) = default;
};

inline BucketSpan span_around(Bucket bucket, int level) { return {level, bucket >> level}; }

// Calls take(span) for the cover of the buckets from first to last, the latest span first.
template <typename Take>
void cover(Bucket first, Bucket last, Take take) {
  while (first <= last) {
    const int aligned = std::countr_zero(static_cast<std::uint64_t>(last + 1));
    const int fitting = level_within(last - first + 1);
    const BucketSpan span = span_around(last, std::min(aligned, fitting));
    take(span);
    last = span.first() - 1;
  }
}

}  // namespace laurel
