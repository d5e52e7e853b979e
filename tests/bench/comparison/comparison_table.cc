#include "comparison_table.h"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>

namespace laurel {

namespace {

std::string shown(double value, Unit unit) {
  switch (unit) {
    case Unit::time:
      if (value < 100) return fmt::format("{:.1f} ns", value);
      if (value < 1000) return fmt::format("{:.0f} ns", value);
      if (value < 1e6) return fmt::format("{:.2f} us", value / 1e3);
      if (value < 1e9) return fmt::format("{:.2f} ms", value / 1e6);
      return fmt::format("{:.2f} s", value / 1e9);
    case Unit::bytes: return fmt::format("{:.1f} B", value);
    case Unit::times: return fmt::format("{:.2f} x", value);
  }
  return {};
}

std::string shown(const Samples& samples, Unit unit) {
  return samples.empty() ? "-" : shown(samples.median(), unit);
}

std::string times(const Samples& samples) {
  if (samples.empty()) return "";
  const double median = samples.median();
  return fmt::format("{:.{}f} x", median, median < 1 ? 2 : 1);
}

// One condition of a goal.
struct Bar {
  std::string text;
  std::string whom;  // the peer to beat, or empty
  const Samples& measured;
  double limit = 0;
  bool is_least = true;

  bool is_met() const { return is_least ? measured.median() >= limit : measured.median() <= limit; }
};

std::vector<Bar> bars_of(const TableRow& row) {
  const Goal& goal = row.goal;
  std::vector<Bar> bars;
  const auto add_times = [&bars](std::optional<double> least, const char* peer,
                                 const Samples& measured) {
    if (least) bars.push_back({fmt::format(">={:g} {}", *least, peer), peer, measured, *least});
  };
  static const Samples nothing;
  const PeerSamples* const server = row.best_server();
  add_times(goal.times_server, "R", server == nullptr ? nothing : server->times);
  add_times(goal.times_skiplist, "S", row.skiplist.times);
  if (goal.most) {
    bars.push_back({"<=" + shown(*goal.most, row.unit), "", row.ours, *goal.most, false});
  }
  if (goal.least) bars.push_back({">=" + shown(*goal.least, row.unit), "", row.ours, *goal.least});
  return bars;
}

std::string size_of(std::uint64_t members) {
  if (members >= 1'000'000) return fmt::format("{:g}M", static_cast<double>(members) / 1e6);
  return fmt::format("{:g}k", static_cast<double>(members) / 1e3);
}

constexpr const char* kLine = "{:<35}{:>5} {:>9}  {:>9} {:>7}  {:>9} {:>7}  {:>9} {:>6}  {:<15} {}";

template <typename... Words>
void print_line(const Words&... words) {
  std::string line = fmt::format(fmt::runtime(kLine), words...);
  line.erase(line.find_last_not_of(' ') + 1);
  std::puts(line.c_str());
  std::fflush(stdout);
}

}  // namespace

void TableRow::add(double ours_now, const Peers& peers) {
  const auto add_peer = [ours_now](PeerSamples& samples, double taken) {
    samples.taken.add(taken);
    samples.times.add(taken / ours_now);
  };
  ours.add(ours_now);
  servers.resize(std::max(servers.size(), peers.servers.size()));
  for (std::size_t i = 0; i < peers.servers.size(); ++i) add_peer(servers[i], peers.servers[i]);
  if (peers.skiplist) add_peer(skiplist, *peers.skiplist);
  if (peers.bound) {
    bound.add(*peers.bound);
    times_bound.add(ours_now / *peers.bound);
  }
}

const PeerSamples* TableRow::best_server() const {
  const auto best = std::ranges::min_element(
      servers, {}, [](const PeerSamples& server) { return server.times.median(); });
  return best == servers.end() ? nullptr : &*best;
}

void ComparisonTable::begin(const std::string& title) {
  std::printf("\n%s\n", title.c_str());
  print_line("operation", "size", "ours", "skiplist", "/ ours",
             servers_.size() > 1 ? "server" : "Redis", "/ ours", "bound", "ours /", "goal", "");
}

void ComparisonTable::print(const TableRow& row) {
  std::string goal;
  std::string short_of;
  bool is_judged = false;
  for (const Bar& bar : bars_of(row)) {
    if (!goal.empty()) goal += ", ";
    goal += bar.text;
    if (bar.measured.empty()) continue;
    is_judged = true;
    if (!bar.is_met()) short_of += short_of.empty() ? "not met " + bar.whom : ", " + bar.whom;
  }
  if (is_judged && short_of.empty()) ++met_;
  if (!short_of.empty()) not_met_.push_back(row.operation + ", " + size_of(row.members));
  const std::string verdict = !short_of.empty() ? short_of : is_judged ? "met" : "";
  const PeerSamples none;
  const PeerSamples* const best = row.best_server();
  const PeerSamples& server = best == nullptr ? none : *best;
  print_line(row.operation, size_of(row.members), shown(row.ours, row.unit),
             shown(row.skiplist.taken, row.unit), times(row.skiplist.times),
             shown(server.taken, row.unit), times(server.times), shown(row.bound, row.unit),
             times(row.times_bound), goal, verdict);
  if (row.servers.size() > 1) print_servers(row);
}

void ComparisonTable::print_servers(const TableRow& row) const {
  std::string line;
  for (std::size_t i = 0; i < row.servers.size(); ++i) {
    line += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", servers_[i],
                        shown(row.servers[i].taken, row.unit), times(row.servers[i].times));
  }
  note(line);
}

void ComparisonTable::note(const std::string& text) const { std::printf("  %s\n", text.c_str()); }

void ComparisonTable::miss(std::string what) { missing_.push_back(std::move(what)); }

void ComparisonTable::finish() const {
  std::printf("\n%d goals met, %zu not\n", met_, not_met_.size());
  for (const std::string& each : not_met_) std::printf("  not met: %s\n", each.c_str());
  std::printf("\nNot measured here\n");
  for (const std::string& each : missing_) std::printf("  %s\n", each.c_str());
}

}  // namespace laurel
