#include "base/checks.h"

#include <cmath>

#include "base/limits.h"
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

Status check_score(double score) {
  if (!std::isfinite(score)) return Refusal(Code::not_finite, "the score is {}", shown(score));
  return Done{};
}

Status check_data(std::optional<std::string_view> data) {
  if (data && data->size() > kDataBytesMax) {
    return Refusal(Code::bad_data, "the data has {} bytes; at most {} are allowed", data->size(),
                   kDataBytesMax);
  }
  return Done{};
}

Status check_moment(std::optional<double> seconds) {
  if (!seconds) return Done{};
  if (!std::isfinite(*seconds)) {
    return Refusal(Code::not_finite, "the time is {}", shown(*seconds));
  }
  if (!time_from_seconds(*seconds)) {
    return Refusal(Code::out_of_range, "the time {} is not within +-2^33 seconds of 1970",
                   *seconds);
  }
  return Done{};
}

}  // namespace laurel
