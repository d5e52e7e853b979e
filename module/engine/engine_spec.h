// engine_spec.h - describes how a board's entries are kept. Fixed while the board exists, except
// for the sizes of a capped engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "base/zone/zone.h"
#include "rank/score/score.h"
#include "rank/score/score_columns.h"
#include "rank/tree/row_order.h"

namespace laurel {

enum class EngineKind : std::uint8_t {
  capped,
  ranked,
  padded,
  paged,
  sharded,
  rolling,
  combined,  // made from other boards: its rows are in memory only
  groups,    // made from one board: its players are values of an attribute
};
inline constexpr std::size_t kEngineKinds = 8;

// The period that a rolling board counts: `buckets` buckets of that length, of which the last is
// the running one. In a zone other than UTC the buckets are its local days; the length is a day.
struct RollingWindow {
  int buckets = 7;
  Time length = 86'400 * kSecond;  // in microseconds

  friend bool operator==(const RollingWindow&, const RollingWindow&) = default;
};

struct EngineSpec {
  EngineKind engine = EngineKind::ranked;
  Order order = Order::desc;
  Ties ties = Ties::earliest;
  std::optional<int> decimals;  // 0 to 9; nullopt: scores are Lua numbers
  // If scores have several columns: a score is a whole score, as one number, and `order` is that
  // of the columns; there are no `decimals`. Null: scores are plain numbers.
  ScoreColumns::Ptr columns;

  std::size_t cap = 10;                // capped: entries shown
  std::size_t reserve = 10;            // capped: the best entries below them, held but not shown
  int digits = 10;                     // padded: width of the score in a key
  std::size_t shards = 8;              // sharded: partitions
  EngineKind of = EngineKind::ranked;  // sharded: the engine of each shard
  RollingWindow window;                // rolling
  Zone zone;                           // rolling: whose days are counted
};

}  // namespace laurel
