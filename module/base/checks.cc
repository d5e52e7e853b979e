#include "base/checks.h"

#include <cmath>

#include "base/text.h"
#include "base/time.h"

namespace laurel {

Status check_player(std::string_view player) {
  if (player.empty()) return Refusal(Code::bad_player, "the id is empty");
  if (player.size() > kPlayerBytesMax) {
    return Refusal(Code::bad_player, "the id has {} bytes; at most {} are allowed", player.size(),
                   kPlayerBytesMax);
  }
  if (player.find('\0') != std::string_view::npos) {
    return Refusal(Code::bad_player, "the id \"{}\" contains a zero byte", escaped(player, 64));
  }
  return Done{};
}

Refusal not_finite(std::string_view what, double number) {
  if (std::bit_cast<std::uint64_t>(number) == std::bit_cast<std::uint64_t>(inexact_whole())) {
    return {Code::out_of_range,
            "{} is an integer beyond +-2^53, where numbers lose their last digits", what};
  }
  return {Code::not_finite, "{} is {}", what, shown(number)};
}

Refusal too_much_data(std::size_t bytes) {
  return {Code::bad_data, "the data has {} bytes; at most {} are allowed", bytes, kDataBytesMax};
}

Status check_moment(double seconds) {
  if (!std::isfinite(seconds)) return not_finite("the time", seconds);
  if (!time_from_seconds(seconds)) {
    return Refusal(Code::out_of_range, "the time {} is not within +-2^33 seconds of 1970", seconds);
  }
  return Done{};
}

}  // namespace laurel
