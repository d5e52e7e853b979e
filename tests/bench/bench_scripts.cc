// The cost of a handler of a gameplay script in each mode: compiled, in LuaJIT's interpreter, and
// in the interpreter under a budget.

#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "bindings/scripts/script_host.h"
#include "measure.h"

namespace laurel {

namespace {

enum class Mode { compiled, interpreted, budgeted };

constexpr std::uint64_t kBudget = 10'000'000;

void handle(benchmark::State& state, const char* handler, Mode mode) {
  const Scratch folder(std::filesystem::temp_directory_path());
  std::ofstream(folder.path("game.lua"))
      << (mode == Mode::interpreted ? "jit.off() jit.flush() " : "") << "local n = 0\n"
      << "local board = boards:board('b', {})\n"
      << "local players = {} for i = 0, 255 do players[i] = ('player_%05d'):format(i) end\n"
      << "laurel.on('e', " << handler << ")\n";
  Registry registry({});
  ScriptHostOptions options;
  options.directory = folder.path("");
  options.log = Log([](Level, std::string_view) {});
  options.instructions = mode == Mode::budgeted ? kBudget : 0;
  auto host = ScriptHost::open(registry, std::move(options));
  if (!host) return state.SkipWithError("no host");
  const EventValue values[] = {250.0};
  for (auto _ : state) (*host)->emit("e", values);
  if ((*host)->stats().failed > 0) state.SkipWithError("the handler failed");
}

#define LAUREL_BENCH_HANDLER(name, text)                                  \
  BENCHMARK_CAPTURE(handle, name##_compiled, text, Mode::compiled);       \
  BENCHMARK_CAPTURE(handle, name##_interpreted, text, Mode::interpreted); \
  BENCHMARK_CAPTURE(handle, name##_budgeted, text, Mode::budgeted)

LAUREL_BENCH_HANDLER(nothing, "function() end");
LAUREL_BENCH_HANDLER(submit, R"(function(distance)
  n = n + 1
  local speed = distance / 3.6
  local points = math.floor(speed * speed / 9.81 + n % 100)
  board:submit(players[n % 256], points)
end)");
LAUREL_BENCH_HANDLER(ten_submits, R"(function(distance)
  for i = 1, 10 do
    n = n + 1
    local points = math.floor(distance * i / 9.81 + n % 100)
    board:submit(players[n % 256], points)
  end
end)");
LAUREL_BENCH_HANDLER(tables, R"(function(distance)
  local seen, best = {}, nil
  for i = 0, 255 do
    local player = players[i]
    seen[player] = (seen[player] or 0) + i % 7 * distance
    if not best or seen[player] > seen[best] then best = player end
  end
  n = n + seen[best]
end)");
LAUREL_BENCH_HANDLER(arithmetic, R"(function(distance)
  local sum = 0
  for i = 1, 10000 do sum = sum + i % 7 * distance end
  n = n + sum
end)");

LAUREL_BENCH_HANDLER(sum, R"(function(distance)
  local sum = 0
  for i = 1, 10000 do sum = sum + i * distance end
  n = n + sum
end)");

// The time that one interrupted call takes from a server.
void interrupt(benchmark::State& state) {
  const Scratch folder(std::filesystem::temp_directory_path());
  std::ofstream(folder.path("game.lua"))
      << "laurel.on('e', function() local n = 0 while true do n = n + 1 % 7 end end)";
  Registry registry({});
  ScriptHostOptions options;
  options.directory = folder.path("");
  options.log = Log([](Level, std::string_view) {});
  options.instructions = static_cast<std::uint64_t>(state.range(0));
  auto host = ScriptHost::open(registry, std::move(options));
  if (!host) return state.SkipWithError("no host");
  for (auto _ : state) (*host)->emit("e", {});
}
BENCHMARK(interrupt)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
