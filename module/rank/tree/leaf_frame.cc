#include "rank/tree/leaf_frame.h"

#include <bit>

namespace laurel {

namespace {

// Steps are chosen so that a leaf's scores span about 2^26 of 2^32 steps, or 2^42 of 2^48. New
// scores and those of adjacent leaves then fit as well.
constexpr unsigned kSpareBits = 6;
// Shifts are coarse, so that adjacent leaves have the same.
constexpr unsigned kShiftStep = 8;
constexpr unsigned kShiftMax = 32;

// Finds a shift for scores that differ only in multiples of 2^whole. Returns false if the span does
// not fit into `score_bits` bits of steps for every possible base.
bool find_shift(std::uint64_t span, unsigned whole, unsigned score_bits, std::uint8_t& shift) {
  const auto span_bits = static_cast<unsigned>(std::bit_width(span));
  const unsigned wanted = span_bits > score_bits - kSpareBits
                              ? span_bits - (score_bits - kSpareBits) + kShiftStep - 1
                              : 0;
  shift = static_cast<std::uint8_t>(std::min({wanted / kShiftStep * kShiftStep, whole, kShiftMax}));
  return span >> shift >> (score_bits - 1) == 0;
}

}  // namespace

LeafFraming LeafExtent::framing() const {
  if (rows_ == 0) return {};
  LeafFraming framing{LeafForm::wide, {}};
  LeafFrame& frame = framing.frame;
  frame.epoch = static_cast<std::uint32_t>(least_tie_ >> kEpochShift);
  if (frame.moment(most_tie_) >> kMomentBits != 0) return {LeafForm::wide, {}};
  const bool is_crowded = players_ >> kPlayerBits != 0;
  const std::uint64_t span = worst_ - best_;
  const auto whole = static_cast<unsigned>(std::countr_zero(differing_));
  unsigned score_bits = 32;
  if (find_shift(span, whole, score_bits, frame.shift)) {
    framing.form = is_crowded ? LeafForm::crowded : LeafForm::narrow;
  } else {
    score_bits = 48;
    if (is_crowded || !find_shift(span, whole, score_bits, frame.shift)) {
      return {LeafForm::wide, {}};
    }
    framing.form = LeafForm::middle;
  }
  // The base is a multiple of half of the steps' range, plus the low bits that all scores share.
  const unsigned half_bits = score_bits - 1 + frame.shift;
  const ScoreKey half = half_bits < 64 ? best_ >> half_bits << half_bits : 0;
  frame.base = half | (best_ & ((ScoreKey{1} << frame.shift) - 1));
  return framing;
}

}  // namespace laurel
