#include "remote/request/season_end_request.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "base/limits.h"

namespace laurel {

std::string text_of(const HearingState& hearing) {
  return fmt::format("{} {} {}", hearing.heard, hearing.teller, hearing.until);
}

std::optional<HearingState> hearing_of(std::string_view text) {
  HearingState hearing;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read = [&](auto& number) {
    const auto [next, error] = std::from_chars(at, end, number);
    at = next;
    return error == std::errc();
  };
  const auto space = [&] { return at != end && *at++ == ' '; };
  const bool whole = read(hearing.heard) && space() && read(hearing.teller) && space() &&
                     read(hearing.until) && at == end;
  return whole ? std::optional(hearing) : std::nullopt;
}

std::size_t seasons_to_keep(std::size_t archive, const Hearings& hearings, std::uint64_t newest) {
  std::uint64_t unheard = 0;
  for (const auto& [name, hearing] : hearings) {
    if (hearing.heard < newest) unheard = std::max(unheard, newest - hearing.heard);
  }
  return std::clamp<std::size_t>(unheard, archive, archive + kSeasonEndsWaitingMax);
}

}  // namespace laurel
