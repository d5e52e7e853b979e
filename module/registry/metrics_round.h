// metrics_round.h - the metrics of a registry while they are gathered. A registry may have a
// million boards, so the ticks that gather for the file of metrics continue where the last one
// stopped.
//
//   moment   values of boards are those of the moment at which each was looked at. All others are
//            gathered at the end, at once: there are few of them.
//   threads  the registry's caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metrics/metric_set.h"

namespace laurel {

struct MetricsRound {
  MetricSet set;
  std::size_t next_slot = 0;  // the board to look at next
  std::uint64_t others = 0;   // boards without a label of their own
  std::uint64_t players_of_others = 0;
  std::uint64_t order_bytes = 0;  // memory of boards
  std::uint64_t cache_bytes = 0;
};

}  // namespace laurel
