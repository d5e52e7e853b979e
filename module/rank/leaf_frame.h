// leaf_frame.h - how the rows of one leaf are written in few bytes.
//
//   form     narrow rows take 14 bytes, middle ones 16, wide ones 21: a score counts in steps from
//            a base, up to 2^32 or 2^48 of them, or is written in full. A moment counts from an
//            epoch in 46 bits, more than two years, and a player's handle has 26. What does not fit
//            is wide.
//   frame    the base, the step (a power of two) and the epoch of narrow and middle rows. Bases and
//            epochs are coarse, so that leaves side by side mostly have the same, and can hand rows
//            to each other as they lie.
//   source   frame of reference: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing Relations
//            and Indexes", ICDE 1998
#pragma once

#include <algorithm>
#include <cstdint>

#include "rank/row_order.h"

namespace laurel {

enum class LeafForm : std::uint8_t { narrow, middle, wide };

inline constexpr unsigned kMomentBits = 46;
inline constexpr unsigned kEpochShift = kMomentBits - 1;
inline constexpr unsigned kPlayerBits = 26;

struct LeafFrame {
  ScoreKey base = 0;
  std::uint32_t epoch = 0;  // of kEpochShift bits
  std::uint8_t shift = 0;   // steps are 2^shift

  std::uint64_t first_tie() const { return std::uint64_t{epoch} << kEpochShift; }
  ScoreKey score(std::uint64_t steps) const { return base + (steps << shift); }
  std::uint64_t moment(std::uint64_t tie) const { return tie - first_tie(); }

  // Whether the place can be written, its score in so many bits of steps.
  bool fits(const Place& place, unsigned score_bits) const {
    const std::uint64_t above = place.score - base;
    const std::uint64_t steps = above >> shift;
    return place.score >= base && steps >> score_bits == 0 && steps << shift == above &&
           moment(place.tie) >> kMomentBits == 0 && place.player >> kPlayerBits == 0;
  }

  friend bool operator==(const LeafFrame&, const LeafFrame&) = default;
};
static_assert(sizeof(LeafFrame) == 16);

// The form and the frame that rows are to be written in.
struct LeafFraming {
  LeafForm form = LeafForm::narrow;
  LeafFrame frame;

  friend bool operator==(const LeafFraming&, const LeafFraming&) = default;
};

// What is to be known of rows to choose it. REQUIRES: the last that is added has the worst score,
// the first the best.
class LeafExtent {
 public:
  void add(const Place& place) {
    if (rows_++ == 0) best_ = place.score;
    worst_ = place.score;
    differing_ |= place.score ^ best_;
    least_tie_ = std::min(least_tie_, place.tie);
    most_tie_ = std::max(most_tie_, place.tie);
    players_ |= place.player;
  }
  // The narrowest in which all fit, with room for some more around them. Of no rows any.
  LeafFraming framing() const;

 private:
  std::uint32_t rows_ = 0;
  ScoreKey best_ = 0;
  ScoreKey worst_ = 0;
  std::uint64_t differing_ = 0;  // the bits in which any score differs from the best
  std::uint64_t least_tie_ = ~std::uint64_t{0};
  std::uint64_t most_tie_ = 0;
  PlayerHandle players_ = 0;  // the bits that any has
};

}  // namespace laurel
