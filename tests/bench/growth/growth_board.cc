#include "growth_board.h"

#include <algorithm>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "board/spec/spec_change.h"

namespace laurel {

namespace {

constexpr std::uint64_t kTickSubmissions = 1000;

}  // namespace

Board& growth_board(Registry& registry, std::string_view name, const Pattern& pattern) {
  SpecChange spec;
  (void)spec.set("keep", pattern.keep);
  (void)spec.set("ties", pattern.ties);
  const Result<BoardHandle> handle = registry.open(name, spec);
  if (!handle) throw std::runtime_error(std::string(handle.refusal().message()));
  return *registry.get(*handle);
}

double GrowingBoard::next_score() {
  const auto count = static_cast<double>(submissions_);
  switch (pattern_.scores) {
    case Pattern::Scores::rising: return count;
    case Pattern::Scores::falling: return -count;
    default: return static_cast<double>(1 + random_() % pattern_.distinct);
  }
}

// A score within the range of the board's entries.
double GrowingBoard::held_score() {
  const std::uint64_t all = submissions_ + 1;
  switch (pattern_.scores) {
    case Pattern::Scores::rising: return static_cast<double>(random_() % all);
    case Pattern::Scores::falling: return -static_cast<double>(random_() % all);
    case Pattern::Scores::steps: return static_cast<double>(random_() % (pattern_.distinct * 2));
    default: return next_score();
  }
}

void GrowingBoard::submit(std::uint64_t number) {
  benchmark::DoNotOptimize(
      board_.submit(WriteMode::submit, {.player = ids_(number), .score = next_score()}));
  if (++submissions_ % kTickSubmissions == 0) registry_.tick();
}

void GrowingBoard::rank() { benchmark::DoNotOptimize(board_.rank(ids_(anybody()), {})); }

void GrowingBoard::read_10(std::size_t first) {
  entries_.clear();
  board_.read(first, 10, entries_);
  benchmark::DoNotOptimize(entries_.data());
  benchmark::ClobberMemory();
}

void GrowingBoard::count() {
  const auto [low, high] = std::minmax({held_score(), held_score()});
  benchmark::DoNotOptimize(board_.count({low, high}));
}

}  // namespace laurel
