// comparison_table.h - the result of the comparison: a line for each operation with ours, each
// peer's, the bound, the goal, and whether the goal was met.
//
//   round     measures ours and the peers one after the other. Ratios are computed for each round;
//             the table shows and judges the median over all rounds.
//   goal      a minimum ratio to a peer, or a limit in the row's own unit.
//   verdict   "met", or "not met" with the peer that was not beaten; empty without a goal
//             or a measurement for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace laurel {

enum class Unit { time, bytes, times };  // time is in nanoseconds

struct Goal {
  std::optional<double> times_redis;
  std::optional<double> times_skiplist;
  std::optional<double> most;
  std::optional<double> least;
};

// What the peers took in one round; empty for a peer that does not take part.
struct Peers {
  std::optional<double> redis;
  std::optional<double> skiplist;
  std::optional<double> bound;
};

struct TableRow {
  std::string operation;
  std::uint64_t members = 0;
  Unit unit = Unit::time;
  Goal goal;
  Samples ours;
  Samples redis, times_redis;
  Samples skiplist, times_skiplist;
  Samples bound, times_bound;

  // Adds a round.
  void add(double ours_now, Peers peers = {});
};

class ComparisonTable {
 public:
  // Prints a heading for the rows that follow.
  void begin(const std::string& title);
  void print(const TableRow& row);
  // Prints a remark on the row above.
  void note(const std::string& text);
  // Records what could not be measured, and why.
  void miss(std::string what);
  // Prints how many goals were met, which were not, and what was not measured.
  void finish() const;

 private:
  int met_ = 0;
  std::vector<std::string> not_met_;
  std::vector<std::string> missing_;
};

}  // namespace laurel
