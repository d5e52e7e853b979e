// rank_text.h - ranks in the texts that tests compare: "2", "2.5".
#pragma once

#include <fmt/core.h>

#include "rank/tree/rank.h"

template <>
struct fmt::formatter<laurel::Rank> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(laurel::Rank rank, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}", static_cast<double>(rank));
  }
};
