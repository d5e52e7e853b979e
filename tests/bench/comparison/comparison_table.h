// comparison_table.h - the result of the comparison: a line for each operation with ours, each
// peer's, the bound, the goal, and whether the goal was met.
//
//   round     measures ours and the peers one after the other. Ratios are computed for each round;
//             the table shows and judges the median over all rounds.
//   servers   Redis and others of its kind. The table shows the one that is nearest to ours in each
//             row, and is judged by it; if there are several, a line below has all of them.
//   goal      a minimum ratio to a peer, or a limit in the row's own unit.
//   verdict   "met", or "not met" with the peer that was not beaten; empty without a goal
//             or a measurement for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"

namespace laurel {

enum class Unit { time, bytes, times };  // time is in nanoseconds

struct Goal {
  std::optional<double> times_server;
  std::optional<double> times_skiplist;
  std::optional<double> most;
  std::optional<double> least;
};

// What the peers took in one round; empty for a peer that does not take part.
struct Peers {
  std::vector<double> servers = {};
  std::optional<double> skiplist = {};
  std::optional<double> bound = {};
};

// The rounds of one peer.
struct PeerSamples {
  Samples taken;
  Samples times;  // divided by ours
};

struct TableRow {
  std::string operation;
  std::uint64_t members = 0;
  Unit unit = Unit::time;
  Goal goal;
  Samples ours;
  std::vector<PeerSamples> servers;
  PeerSamples skiplist;
  Samples bound, times_bound;  // ours divided by the bound

  // Adds a round.
  void add(double ours_now, const Peers& peers = {});
  // The server that is nearest to ours, or before it; null if none takes part.
  const PeerSamples* best_server() const;
};

class ComparisonTable {
 public:
  // The servers' names, in the order of Peers::servers.
  explicit ComparisonTable(std::vector<std::string> servers) : servers_(std::move(servers)) {}

  // Prints a heading for the rows that follow.
  void begin(const std::string& title);
  void print(const TableRow& row);
  // Prints a remark on the row above.
  void note(const std::string& text) const;
  // Records what could not be measured, and why.
  void miss(std::string what);
  // Prints how many goals were met, which were not, and what was not measured.
  void finish() const;

 private:
  void print_servers(const TableRow& row) const;

  std::vector<std::string> servers_;
  int met_ = 0;
  std::vector<std::string> not_met_;
  std::vector<std::string> missing_;
};

}  // namespace laurel
