// engine_row.h - an entry as engines hold it: a view of its strings, and its score as a key.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"
#include "rank/score/score.h"

namespace laurel {

struct EngineRow {
  std::string_view player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string_view> data;
};

// What decides a player's place in an order.
struct RowKey {
  ScoreKey score = 0;
  Time at = 0;

  friend bool operator==(const RowKey&, const RowKey&) = default;
};

inline std::optional<RowKey> key_of(const std::optional<EngineRow>& row) {
  return row ? std::optional(RowKey{row->score, row->at}) : std::nullopt;
}

}  // namespace laurel
