// engine_spec.h - what describes how a board's entries are kept: fixed while the board lives, but
// for the sizes of a capped set.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "rank/row_order.h"
#include "rank/score.h"

namespace laurel {

enum class EngineKind : std::uint8_t { capped, ranked, padded, paged, sharded, rolling };

// The days that a rolling board counts: so many buckets of that length, the running one the last.
struct RollingWindow {
  int buckets = 7;
  Time length = 86'400 * kSecond;  // in microseconds

  friend bool operator==(const RollingWindow&, const RollingWindow&) = default;
};

struct EngineSpec {
  EngineKind engine = EngineKind::ranked;
  Order order = Order::desc;
  Ties ties = Ties::earliest;
  std::optional<int> decimals;  // 0 to 9; nothing: Lua numbers as they are

  std::size_t cap = 10;                // capped: entries shown
  std::size_t reserve = 10;            // capped: the best below them, out of sight
  int digits = 10;                     // padded: width of the score in a key
  std::size_t shards = 8;              // sharded: partitions
  EngineKind of = EngineKind::ranked;  // sharded: the engine of each
  RollingWindow window;                // rolling
};

}  // namespace laurel
