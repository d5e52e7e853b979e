// rank_text.h - ranks in the texts that tests compare: "2", "2.5".
#pragma once

#include <fmt/format.h>

#include "rank/tree/rank.h"

template <>
struct fmt::formatter<laurel::Rank> : fmt::formatter<double> {
  template <typename Context>
  auto format(laurel::Rank rank, Context& context) const {
    return fmt::formatter<double>::format(static_cast<double>(rank), context);
  }
};
