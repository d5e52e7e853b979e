#include "engine/padded/padded_keys.h"

#include <cassert>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

constexpr std::string_view kScores = "SCORE#";
constexpr int kMomentDigits = 16;                        // hexadecimal
constexpr std::size_t kMomentBytes = kMomentDigits + 1;  // and '#'
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// The longest key, including the byte that players_before appends, must fit with the space's
// prefix.
constexpr std::size_t kDigitsOfKey = 20;  // the digits of 2^64
// Columns of 63 bits together: 19 digits, one more in each of the others, and dots.
constexpr std::size_t kColumnDigitsMax = 19 + 2 * (kColumnsMax - 1);
static_assert(kColumnDigitsMax >= kDigitsOfKey && kColumnDigitsMax >= kDigitsMax);
static_assert(Space::kPrefixBytes + kScores.size() + kColumnDigitsMax + 1 + kMomentBytes +
                  kPlayerBytesMax + 1 <=
              kStoreKeyBytesMax);

std::int64_t power_of_ten(int exponent) {
  std::int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

}  // namespace

PaddedKeys::PaddedKeys(const EngineSpec& spec, int digits, Form form)
    : order_(spec.order),
      ties_(spec.ties),
      form_(form),
      columns_(spec.columns),
      digits_(digits),
      largest_(form == Form::digits ? power_of_ten(digits) - 1 : 0),
      zero_(*ScoreForm(spec.order, spec.decimals).key(0)),
      score_bytes_(kScores.size() + static_cast<std::size_t>(digits) + 1),
      group_bytes_(score_bytes_ + (by_time() ? kMomentBytes : 0)) {}

PaddedKeys::PaddedKeys(const EngineSpec& spec)
    : PaddedKeys(spec, spec.columns ? static_cast<int>(spec.columns->digits_bytes()) : spec.digits,
                 spec.columns ? Form::columns : Form::digits) {
  if (spec.columns) return;
  assert(spec.decimals && "padded keys hold decimals");
  assert(spec.digits >= 1 && spec.digits <= kDigitsMax);
}

PaddedKeys PaddedKeys::of_any_score(const EngineSpec& spec) {
  return {spec, static_cast<int>(kDigitsOfKey), Form::any_score};
}

// The number that is written for a score.
std::uint64_t PaddedKeys::number(ScoreKey score) const {
  if (form_ == Form::digits) return static_cast<std::uint64_t>(scaled(score));
  return order_ == Order::desc ? ~score : score;
}

// Score keys of adjacent decimals are adjacent, so the distance from the key of zero is the scaled
// score.
std::int64_t PaddedKeys::scaled(ScoreKey score) const {
  return static_cast<std::int64_t>(order_ == Order::desc ? zero_ - score : score - zero_);
}

void PaddedKeys::append_score(std::string& key, ScoreKey score) const {
  key += kScores;
  if (form_ == Form::columns) {
    key += columns_->digits_text(ScoreForm(order_, std::nullopt).score(score));
  } else {
    append_digits(key, number(score), digits_);
  }
  key += '#';
}

bool PaddedKeys::fits(ScoreKey score) const {
  if (form_ == Form::any_score) return true;
  if (form_ == Form::columns) {
    return columns_->is_whole(ScoreForm(order_, std::nullopt).score(score));
  }
  const std::int64_t number = scaled(score);
  return number >= 0 && number <= largest_;
}

std::uint64_t PaddedKeys::moment(Time at) const {
  const std::uint64_t rising = static_cast<std::uint64_t>(at) ^ kSignBit;
  return backwards() == (ties_ == Ties::latest) ? rising : ~rising;
}

std::string PaddedKeys::key(const EngineRow& row) const {
  assert(fits(row.score));
  std::string key;
  key.reserve(group_bytes_ + row.player.size());
  append_score(key, row.score);
  if (by_time()) {
    append_hex_digits(key, moment(row.at), kMomentDigits);
    key += '#';
  }
  return key.append(row.player);
}

std::string PaddedKeys::behind(std::string_view prefix) {
  assert(prefix.ends_with('#'));
  std::string text(prefix);
  ++text.back();
  return text;
}

KeyRange PaddedKeys::all() const { return {std::string(kScores), behind(kScores)}; }

// Whether a score that does not fit is below all that do. On a board with columns it is an open
// end of a range.
bool PaddedKeys::is_below(ScoreKey score) const {
  if (form_ == Form::digits) return scaled(score) < 0;
  const ScoreForm form(order_, std::nullopt);
  return (score < *form.key(columns_->lowest())) == (order_ == Order::asc);
}

// The first text of the keys of a score, or the first text after them.
std::string PaddedKeys::edge(ScoreKey score, Side side) const {
  if (!fits(score)) return is_below(score) ? std::string(kScores) : behind(kScores);
  std::string text;
  append_score(text, score);
  return side == Side::front ? text : behind(text);
}

KeyRange PaddedKeys::better(ScoreKey score) const {
  if (backwards()) return {edge(score, Side::back), behind(kScores)};
  return {std::string(kScores), edge(score, Side::front)};
}

KeyRange PaddedKeys::not_worse(ScoreKey score) const {
  if (backwards()) return {edge(score, Side::front), behind(kScores)};
  return {std::string(kScores), edge(score, Side::back)};
}

KeyRange PaddedKeys::between(ScoreKey best, ScoreKey worst) const {
  if (backwards()) return {edge(worst, Side::front), edge(best, Side::back)};
  return {edge(best, Side::front), edge(worst, Side::back)};
}

KeyRange PaddedKeys::groups_before(std::string_view key) const {
  if (backwards()) return {behind(group(key)), behind(kScores)};
  return {std::string(kScores), std::string(group(key))};
}

KeyRange PaddedKeys::players_before(std::string_view key) const {
  if (ties_ != Ties::player_desc) return {std::string(group(key)), std::string(key)};
  std::string next(key);
  next.push_back('\0');  // nothing sorts between a text and itself with a zero byte
  return {std::move(next), behind(group(key))};
}

}  // namespace laurel
