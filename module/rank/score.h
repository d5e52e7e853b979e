// score.h - scores as the order compares them.
//
//   ScoreKey   an unsigned 64-bit number whose natural order is the board's: the smaller key stands
//              before the larger. Equal scores have equal keys, and each key is one score.
//   form       how a board turns numbers into keys: which way is better (`order`), and whether
//              scores are Lua numbers as they are or exact decimals (`decimals`).
//
// Without decimals a key holds the bits of the double; with d decimals it holds score x 10^d as a
// whole number, so that ten times 0.1 is 1. -0 is taken as 0.
#pragma once

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>

namespace laurel {

using ScoreKey = std::uint64_t;

enum class Order : std::uint8_t { desc, asc };  // desc: high scores win; asc: low ones do

class ScoreForm {
 public:
  // decimals: 0 to 9, or nothing for numbers as they are.
  ScoreForm(Order order, std::optional<int> decimals);

  // The key of a score: with decimals, of its shortest decimal form rounded half away from zero.
  // Nothing when the score is out of range: scaled, it reaches 2^53.
  // REQUIRES: score is finite.
  std::optional<ScoreKey> key(double score) const {
    ScoreKey key = 0;
    if (!find_key(score, key)) return std::nullopt;
    return key;
  }
  // The same where the key is wanted: whether there is one.
  bool find_key(double score, ScoreKey& key) const {
    assert(std::isfinite(score) && "a score is a finite number");
    if (decimals_ >= 0) return find_decimal_key(score, key);
    key = toward(rising_from_double(score));
    return true;
  }

  // The score of a key: with decimals, the double nearest to the exact decimal.
  double score(ScoreKey key) const {
    return decimals_ < 0 ? double_from_rising(toward(key)) : decimal_score(key);
  }

  // The key of both scores together; nothing when the sum is out of range (infinite, or scaled
  // 2^53 and more). Exact with decimals, IEEE addition without.
  std::optional<ScoreKey> sum(ScoreKey a, ScoreKey b) const;

  Order order() const { return order_; }
  std::optional<int> decimals() const {
    return has_decimals() ? std::optional<int>(decimals_) : std::nullopt;
  }
  bool has_decimals() const { return decimals_ >= 0; }

 private:
  static constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

  // A map whose natural order is the numbers': a double's bits rise with it when it is positive and
  // fall when it is negative.
  static std::uint64_t rising_from_double(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0 + 0 is 0
    return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
  }
  static double double_from_rising(std::uint64_t rising) {
    return std::bit_cast<double>((rising & kSignBit) != 0 ? rising & ~kSignBit : ~rising);
  }
  // Between the order of numbers, where larger is larger, and that of keys. Its own inverse.
  ScoreKey toward(std::uint64_t rising) const { return order_ == Order::desc ? ~rising : rising; }
  bool find_decimal_key(double score, ScoreKey& key) const;
  double decimal_score(ScoreKey key) const;

  Order order_;
  std::int8_t decimals_;  // -1: none
};

// The decimal that `score` shows when printed in full (its shortest form that reads back as the
// same double), times 10^decimals, rounded half away from zero. Nothing when it reaches 2^53.
// REQUIRES: score is finite, decimals in 0..9.
//   source   shortest form: std::to_chars (Ryu, U. Adams, PLDI 2018)
std::optional<std::int64_t> scaled_decimal(double score, int decimals);

}  // namespace laurel
