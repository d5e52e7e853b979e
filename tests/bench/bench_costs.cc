// What every operation of every engine costs as a board grows: a table in Markdown for each engine.
//
//   bench_costs [--members=N] [--engine=NAME] [--path=DIR [--disk=N]]
//   bench_costs --members=100 --check=PAGE
//
//   --members   the largest board; 10,000,000 without it. Sizes are 100, 10,000, and all powers of
//               ten from a million on
//   --engine    only this one
//   --path      what a directory costs is measured, too, in directories within this one: a
//               submission, a backup, opening, and the size on the disk
//   --disk      the largest board in a directory; 10,000,000 without it, which needs 4 GB. A
//               hundred million need 31 GB
//   --check     prints nothing, and fails if a table of the page lacks a row, or says another order
//               of growth; measure_costs writes the page
//
// A cost is CPU time of the calling thread: the median of blocks of calls with random arguments. It
// includes drawing them. The boards are in steady state: filled in random order, then each player
// has submitted once more on average. "a new player" is the mean of the last tenth of filling.
//
// `grows` compares the two largest sizes: the exponent e of n^e between them. Memory is slower if
// there is more of it, so O(log n) may have 0.3. With `ranked`, that is measured, too: "a line of
// memory" is a dependent load of a random line, from all of the bytes that the board takes. An
// export, of `ranked` only, is to /dev/null.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "bench/costs/cost_calls.h"
#include "bench/measure.h"
#include "bench/pointer_chase.h"
#include "store/line_file.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

constexpr double kBlockSeconds = 0.004;
constexpr std::size_t kBlocks = 9;
constexpr std::uint64_t kMillion = 1'000'000;

template <typename Answer>
void must(const Answer& answer) {
  if (!answer) throw std::runtime_error(std::string(answer.refusal().message()));
}

struct Row {
  std::string call;
  std::string order;  // as promised
  std::vector<double> figures;
};

// The table of one engine: rows are operations, columns are sizes.
class CostTable {
 public:
  void add(std::string_view call, std::string_view order, double figure) {
    const auto found = std::ranges::find(rows_, call, &Row::call);
    Row& row = found != rows_.end()
                   ? *found
                   : rows_.emplace_back(Row{std::string(call), std::string(order), {}});
    row.figures.push_back(figure);
  }
  // Whether the table of this engine in the page has all rows, with the promised orders. Says which
  // ones it lacks.
  bool is_in(std::string_view page, std::string_view engine) const {
    const std::string heading = fmt::format("### `{}`\n", engine);
    const std::size_t begin = std::min(page.find(heading), page.size());
    const std::size_t end = std::min(page.find("\n#", begin + 1), page.size());
    const std::string_view table = page.substr(begin, end - begin);
    bool whole = true;
    for (const Row& row : rows_) {
      const std::size_t at = table.find(fmt::format("\n| {} |", row.call));
      const std::string_view line = table.substr(std::min(at, table.size()));
      const std::string_view figures = line.substr(0, line.find('\n', 1));
      if (figures.find(fmt::format("| {} |", row.order)) != std::string_view::npos) continue;
      fmt::print("the table of `{}` lacks the row \"{}\", growing as {}\n", engine, row.call,
                 row.order);
      whole = false;
    }
    return whole;
  }
  void print(const std::vector<std::uint64_t>& sizes) const {
    fmt::print("| |");
    for (const std::uint64_t size : sizes) fmt::print(" {} |", grouped(size));
    fmt::print(" promised | grows |\n|---|{}---|---|\n", repeated("---:|", sizes.size()));
    for (const Row& row : rows_) {
      fmt::print("| {} |", row.call);
      for (const double figure : row.figures) fmt::print(" {} |", shown(figure));
      fmt::print("{} {} | {} |\n", repeated(" |", sizes.size() - row.figures.size()), row.order,
                 growth(row, sizes));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  static std::string grouped(std::uint64_t number) {
    if (number < 1000) return std::to_string(number);
    return fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
  }
  static std::string repeated(std::string_view what, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += what;
    return text;
  }
  // Three digits.
  static std::string shown(double figure) {
    if (figure < 10) return fmt::format("{:.1f}", figure);
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(figure)) - 2));
    return grouped(static_cast<std::uint64_t>(std::round(figure / unit) * unit));
  }
  static std::string growth(const Row& row, const std::vector<std::uint64_t>& sizes) {
    if (row.order.empty() || row.figures.size() < 2) return "";
    const std::size_t last = row.figures.size() - 1;
    const double steps =
        std::log(static_cast<double>(sizes[last]) / static_cast<double>(sizes[last - 1]));
    return fmt::format("n^{:.2f}", std::log(row.figures[last] / row.figures[last - 1]) / steps);
  }

  std::vector<Row> rows_;
};

double seconds_of(std::uint64_t calls, const CostCall& call, CostBoard& costs) {
  const double before = time_so_far().cpu;
  for (std::uint64_t i = 0; i < calls; ++i) call.run(costs);
  return time_so_far().cpu - before;
}

// The median of blocks; its time decides how many calls a block has.
double cost_of(const CostCall& call, CostBoard& costs) {
  std::uint64_t calls = 1;
  double seconds = seconds_of(calls, call, costs);
  while (seconds < kBlockSeconds) seconds = seconds_of(calls *= 2, call, costs);
  Samples blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.add(seconds_of(calls, call, costs) * 1e9 / static_cast<double>(calls));
  }
  return blocks.median();
}

template <typename Work>
double nanoseconds(const Work& work) {
  const double before = time_so_far().cpu;
  work();
  return (time_so_far().cpu - before) * 1e9;
}

template <typename Work>
double seconds(const Work& work) {
  const double before = time_so_far().wall;
  work();
  return time_so_far().wall - before;
}

double bytes_in(const std::string& directory) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    bytes += file.file_size();
  }
  return static_cast<double>(bytes);
}

bool is_ranked(const CostEngine& engine) { return std::string_view(engine.name) == "ranked"; }

void export_to_nothing(Registry& registry) {
  std::FILE* const nothing = std::fopen("/dev/null", "w");
  if (nothing == nullptr) throw std::runtime_error("cannot open /dev/null");
  LineWriter out(nothing, "/dev/null");
  export_registry(registry, out, std::nullopt);
  must(out.finish());
  (void)std::fclose(nothing);
}

double longest_tick(Registry& registry) {
  double longest = 0;
  for (int i = 0; i < 1000; ++i) {
    longest = std::max(longest, nanoseconds([&] { registry.tick(); }));
  }
  return longest;
}

void measure(CostBoard& costs, std::uint64_t members, bool is_ranked, CostTable& table) {
  costs.fill(members - members / 10);
  const std::uint64_t left = members - costs.members();
  table.add("submit, a new player", growth_order(costs.board().spec(), "submit"),
            nanoseconds([&] { costs.fill(members); }) / static_cast<double>(left));
  for (std::uint64_t i = 0; i < members; ++i) costs.submit_any();
  costs.look();
  for (const CostCall& call : cost_calls()) {
    if (!call.can(costs.board().spec())) continue;
    table.add(call.name, growth_order(costs.board().spec(), call.name), cost_of(call, costs));
  }
  table.add("a step of each()", "log n", each_step_ns(costs));
  const std::size_t bytes = costs.registry().stats().bytes;
  table.add("bytes a player", "", static_cast<double>(bytes) / static_cast<double>(members));
  if (is_ranked) {
    const std::array regions = {bytes};
    table.add("a line of memory", "", PointerChase(regions).run(kMillion));
  }
  if (costs.board().mark()) {
    table.add("mark", "1", nanoseconds([&] { (void)costs.board().mark(); }));
  }
}

// Ends the season, whose entries are freed in the ticks that follow.
void end_season(CostBoard& costs, CostTable& table) {
  if (is_derived(costs.board().spec())) return;
  table.add("the end of a season", "1", nanoseconds([&] { must(costs.board().reset()); }));
  table.add("the longest tick after it", "1", longest_tick(costs.registry()));
}

// What a directory costs: a board is filled in it, closed, and opened again.
void measure_disk(const CostEngine& engine, const std::string& path, std::uint64_t members,
                  CostTable& table) {
  const Log log([](Level, std::string_view text) { fmt::print(stderr, "{}\n", text); });
  auto costs = std::make_unique<CostBoard>(engine, path, log);
  costs->fill(members);
  const std::uint64_t calls = std::min(members, kMillion);
  const double submits = nanoseconds([&] {
    for (std::uint64_t i = 0; i < calls; ++i) costs->submit_any();
  });
  table.add("submit, in a directory", growth_order(costs->board().spec(), "submit"),
            submits / static_cast<double>(calls));
  double longest_submission = 0;
  double longest_tick = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    double& longest = costs->is_tick_next() ? longest_tick : longest_submission;
    longest = std::max(longest, nanoseconds([&] { costs->submit_any(); }));
  }
  table.add("the longest submission", "1", longest_submission);
  table.add("the longest tick", "1", longest_tick);
  if (is_ranked(engine)) {
    table.add("the longest gap of an idle thread", "", longest_gap(2 * submits * 1e-9) * 1e9);
  }
  must(costs->registry().flush());
  table.add("backup, seconds", "",
            seconds([&] { must(costs->registry().backup(path + "-copy")); }));
  table.add("bytes a player in the copy", "",
            bytes_in(path + "-copy") / static_cast<double>(members));
  std::filesystem::remove_all(path + "-copy");
  must(costs->registry().close());
  costs.reset();
  table.add("bytes a player in the directory", "", bytes_in(path) / static_cast<double>(members));
  const Spent before = spent_so_far();
  costs = std::make_unique<CostBoard>(engine, path, log);
  const Spent opening = spent_so_far() - before;
  table.add("opening, seconds", "", opening.wall);
  if (!is_ranked(engine)) return;
  table.add("opening, seconds of both processors", "", opening.all_cpu);
  table.add("an export, for each player", "", nanoseconds([&] {
                                                export_to_nothing(costs->registry());
                                              }) / static_cast<double>(members));
}

struct Options {
  std::uint64_t members = 0;
  std::string engine;  // empty: all
  std::string path;    // empty: in memory
  std::uint64_t disk_members = 0;
  std::string page;  // to check; empty: tables are printed
};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::uint64_t> sizes_up_to(std::uint64_t members_max) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 100; size <= members_max; size *= size < kMillion ? 100 : 10) {
    sizes.push_back(size);
  }
  return sizes;
}

// Returns whether the page to check has the table.
bool run(const CostEngine& engine, const Options& options) {
  CostTable table;
  const std::vector<std::uint64_t> sizes = sizes_up_to(options.members);
  for (const std::uint64_t size : sizes) {
    {
      CostBoard costs(engine, "", Log([](Level, std::string_view) {}));
      measure(costs, size, is_ranked(engine), table);
      end_season(costs, table);
    }
    if (!options.path.empty() && size <= options.disk_members) {
      const std::string path = fmt::format("{}/{}-{}", options.path, engine.name, size);
      measure_disk(engine, path, size, table);
      std::filesystem::remove_all(path);
    }
    if (options.page.empty()) fmt::print(stderr, "{}: {} players done\n", engine.name, size);
  }
  if (!options.page.empty()) return table.is_in(text_of(options.page), engine.name);
  fmt::print("### `{}`\n\n", engine.name);
  table.print(sizes);
  return true;
}

std::string text_option(int argc, char** argv, std::string_view name) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(name)) return std::string(word.substr(name.size()));
  }
  return {};
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  const laurel::Options options = {.members = laurel::option(argc, argv, "members", 10'000'000),
                                   .engine = laurel::text_option(argc, argv, "--engine="),
                                   .path = laurel::text_option(argc, argv, "--path="),
                                   .disk_members = laurel::option(argc, argv, "disk", 10'000'000),
                                   .page = laurel::text_option(argc, argv, "--check=")};
  bool whole = true;
  for (const laurel::CostEngine& engine : laurel::cost_engines()) {
    if (!options.engine.empty() && options.engine != engine.name) continue;
    whole = laurel::run(engine, options) && whole;
  }
  return whole ? 0 : 1;
}
