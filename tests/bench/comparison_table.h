// comparison_table.h - the answer of the comparison: a line for each operation with ours, each
// peer's, the bound, the goal, and whether that was met.
//
//   round     measures ours and the peers one after the other. A ratio is a round's own; what is
//             shown and judged is the median over all rounds.
//   goal      at least so many times as good as a peer, or a limit in the row's own unit.
//   verdict   "met", or "not met" with the peer of whom it falls short; nothing where there is no
//             goal, or nothing to hold against it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure.h"

namespace laurel {

enum class Unit { time, bytes, times };  // of time: nanoseconds

struct Goal {
  std::optional<double> times_redis;
  std::optional<double> times_skiplist;
  std::optional<double> most;
  std::optional<double> least;
};

// What the peers took in one round, where they take part.
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

  // A round.
  void add(double ours_now, Peers peers = {});
};

class ComparisonTable {
 public:
  // A heading over the rows that follow.
  void begin(const std::string& title);
  void print(const TableRow& row);
  // A remark on the row above.
  void note(const std::string& text);
  // What should have been measured, and why it was not.
  void miss(std::string what);
  // Prints how many goals were met, which were not, and what was not measured.
  void finish() const;

 private:
  int met_ = 0;
  std::vector<std::string> not_met_;
  std::vector<std::string> missing_;
};

}  // namespace laurel
