// score.h - scores as keys that can be compared.
//
//   ScoreKey   an unsigned 64-bit number in the order of the board: the smaller key is first. Equal
//              scores have equal keys, and each key is one score.
//   form       how a board converts numbers to keys: which direction is better (`order`), and
//              whether scores are Lua numbers or exact decimals (`decimals`).
//
// Without decimals a key has the bits of the double. With d decimals it is score x 10^d as an
// integer, so that ten times 0.1 is 1. -0 is treated as 0.
#pragma once

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace laurel {

using ScoreKey = std::uint64_t;

enum class Order : std::uint8_t { desc, asc };  // desc: high scores win; asc: low scores win
constexpr std::string_view word(Order order) { return order == Order::desc ? "desc" : "asc"; }

class ScoreForm {
 public:
  // decimals: 0 to 9, or nothing for Lua numbers.
  ScoreForm(Order order, std::optional<int> decimals);

  // The key of a score. With decimals, its shortest decimal form is rounded half away from zero.
  // Empty if the scaled score reaches 2^53.
  // REQUIRES: score is finite.
  std::optional<ScoreKey> key(double score) const {
    ScoreKey key = 0;
    if (!find_key(score, key)) return std::nullopt;
    return key;
  }
  // As key(), but writes to `key` and returns false if the score is out of range.
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

  // With decimals: the score x 10^decimals, and the key of such a number. REQUIRES: has_decimals(),
  // and the number is within +-kScaledMax.
  std::int64_t scaled(ScoreKey key) const;
  ScoreKey key_of_scaled(std::int64_t scaled) const;

  // The key of the sum of both scores. Empty if the sum is infinite or, scaled, reaches 2^53. Exact
  // with decimals, IEEE addition without.
  std::optional<ScoreKey> sum(ScoreKey a, ScoreKey b) const;

  Order order() const { return order_; }
  std::optional<int> decimals() const {
    return has_decimals() ? std::optional<int>(decimals_) : std::nullopt;
  }
  bool has_decimals() const { return decimals_ >= 0; }

 private:
  static constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

  // Maps doubles to integers in the same order. The bits of a positive double increase with its
  // value, those of a negative double decrease.
  static std::uint64_t rising_from_double(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0 + 0 is 0
    return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
  }
  static double double_from_rising(std::uint64_t rising) {
    return std::bit_cast<double>((rising & kSignBit) != 0 ? rising & ~kSignBit : ~rising);
  }
  // Converts between the order of numbers and the order of keys. It is its own inverse.
  ScoreKey toward(std::uint64_t rising) const { return order_ == Order::desc ? ~rising : rising; }
  bool find_decimal_key(double score, ScoreKey& key) const;
  double decimal_score(ScoreKey key) const;

  Order order_;
  std::int8_t decimals_;  // -1: none
};

// The shortest decimal that reads back as `score`, times 10^decimals, rounded half away from zero.
// Empty if it reaches 2^53.
// REQUIRES: score is finite, decimals in 0..9.
//   source   shortest form: std::to_chars (Ryu, U. Adams, PLDI 2018)
std::optional<std::int64_t> scaled_decimal(double score, int decimals);

}  // namespace laurel
