// activity.h - what one submission adds to a rolling board.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"
#include "engine/rolling/bucket_span.h"
#include "rank/score/score.h"

namespace laurel {

struct Activity {
  Bucket bucket = 0;
  ScoreKey amount = 0;
  Time at = 0;
  std::optional<std::string_view> data;  // nullopt: the player's data stays
};

}  // namespace laurel
