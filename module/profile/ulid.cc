#include "profile/ulid.h"

#include <algorithm>
#include <array>

namespace laurel {

namespace {

constexpr std::string_view kCrockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr int kRandomBitsOfHigh = 16;

std::uint64_t milliseconds_of(Time at) {
  return at > 0 ? static_cast<std::uint64_t>(at) / 1000 : 0;
}

}  // namespace

bool is_ulid(std::string_view text) {
  // 26 digits have 130 bits: the first two must be 0.
  return text.size() == kUlidBytes && text[0] <= '7' &&
         text.find_first_not_of(kCrockfordDigits) == std::string_view::npos;
}

std::string Ulids::written(Bits bits) {
  std::string text(kUlidBytes, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = kCrockfordDigits[bits.low & 31U];
    bits.low = bits.low >> 5U | bits.high << 59U;
    bits.high >>= 5U;
  }
  return text;
}

Ulids::Bits Ulids::drawn(std::uint64_t milliseconds) {
  std::array<std::byte, 10> random{};
  random_(random);
  Bits bits{.high = milliseconds};
  for (std::size_t i = 0; i < random.size(); ++i) {
    std::uint64_t& half = i < 2 ? bits.high : bits.low;
    half = half << 8U | std::to_integer<std::uint64_t>(random[i]);
  }
  return bits;
}

std::string Ulids::next(Time now) {
  const std::uint64_t milliseconds = milliseconds_of(now);
  if (!last_ || milliseconds > last_->high >> kRandomBitsOfHigh) {
    last_ = drawn(milliseconds);
  } else if (++last_->low == 0) {
    ++last_->high;
  }
  return written(*last_);
}

std::string Ulids::of(Time at) { return written(drawn(milliseconds_of(at))); }

}  // namespace laurel
