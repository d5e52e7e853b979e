// leaf_frame.h - the compact encoding of the rows of one leaf.
//
//   form     narrow rows take 14 bytes, crowded rows 15, middle rows 16, wide rows 21. A score is
//            the number of steps from a base, up to 2^32, or 2^48 of a middle row; the time is
//            relative to an epoch, in 46 bits (more than two years); the player's handle has 26
//            bits. Crowded rows have handles in full, for registries with more than 67 million
//            players. Wide rows have all values in full.
//   frame    the base, the step (a power of two) and the epoch of rows that are not wide. Bases and
//            epochs are coarse, so that adjacent leaves mostly have the same frame and can exchange
//            rows without encoding them again.
//   source   frame of reference: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing Relations
//            and Indexes", ICDE 1998
#pragma once

#include <algorithm>
#include <cstdint>

#include "rank/tree/row_order.h"

namespace laurel {

enum class LeafForm : std::uint8_t { narrow, middle, wide, crowded };

inline constexpr unsigned kMomentBits = 46;
inline constexpr unsigned kEpochShift = kMomentBits - 1;
inline constexpr unsigned kPlayerBits = 26;
inline constexpr unsigned kCrowdedPlayerBits = 34;  // two bytes instead of one, beyond 2^18

struct LeafFrame {
  ScoreKey base = 0;
  std::uint32_t epoch = 0;  // in units of 2^kEpochShift
  std::uint8_t shift = 0;   // a step is 2^shift

  std::uint64_t first_tie() const { return std::uint64_t{epoch} << kEpochShift; }
  ScoreKey score(std::uint64_t steps) const { return base + (steps << shift); }
  std::uint64_t moment(std::uint64_t tie) const { return tie - first_tie(); }

  // True if the place can be encoded, its steps and its player in that many bits.
  bool fits(const Place& place, unsigned score_bits, unsigned player_bits) const {
    const std::uint64_t above = place.score - base;
    const std::uint64_t steps = above >> shift;
    return place.score >= base && steps >> score_bits == 0 && steps << shift == above &&
           moment(place.tie) >> kMomentBits == 0 && std::uint64_t{place.player} >> player_bits == 0;
  }

  friend bool operator==(const LeafFrame&, const LeafFrame&) = default;
};
static_assert(sizeof(LeafFrame) == 16);

// The form and the frame of a leaf's rows.
struct LeafFraming {
  LeafForm form = LeafForm::narrow;
  LeafFrame frame;

  friend bool operator==(const LeafFraming&, const LeafFraming&) = default;
};

// Collects what determines the framing. REQUIRES: the first added row has the best score, the last
// one the worst.
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
  // The narrowest framing for all rows, with room for scores around them. For no rows, any framing.
  LeafFraming framing() const;

 private:
  std::uint32_t rows_ = 0;
  ScoreKey best_ = 0;
  ScoreKey worst_ = 0;
  std::uint64_t differing_ = 0;  // bits in which any score differs from the best
  std::uint64_t least_tie_ = ~std::uint64_t{0};
  std::uint64_t most_tie_ = 0;
  PlayerHandle players_ = 0;  // the OR of all handles
};

}  // namespace laurel
