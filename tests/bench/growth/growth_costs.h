// growth_costs.h - the cost of each call on a board of a given size.
//
//   cost     nanoseconds a call, the median of many blocks of calls, including the making of the
//            arguments. Small boards are grown several times, for enough blocks.
//   speed    of a pattern: the cost of a call on a uniform board divided by its cost on this one.
//            Blocks of the two alternate, and the ratio is the median of the ratios of neighbours:
//            a machine that is slow for a second slows both.
//   worst    the worst single calls, in CPU time of their thread: without other programs, but with
//            page faults and interrupts. Reading that clock takes about 0.5 us; its median is
//            subtracted. A virtual machine counts waits for its host as CPU time. `idle` is the
//            longest time that a thread which only reads its clock lost right after, over the same
//            time.
//   load     nanoseconds of one dependent load, anywhere in memory of the board's size: a call
//            whose cost grows no faster than this waits for memory, and has no step of its own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "growth_board.h"

namespace laurel {

enum GrowthCall : std::uint8_t { kInsert, kUpdate, kRank, kTop10, kPageOf10, kCount, kGrowthCalls };

inline constexpr std::array<const char*, kGrowthCalls> kGrowthCallNames = {
    "insert", "update", "rank", "top 10", "page", "count"};

struct GrowthCosts {
  std::array<double, kGrowthCalls> ns{};  // an insert's is measured over the last two thirds
  std::array<double, kGrowthCalls> speed{};
  double bytes_a_member = 0;
};

struct GrowthComparison {
  GrowthCosts uniform;
  GrowthCosts pattern;
};

GrowthCosts growth_costs(std::uint64_t members);
GrowthComparison compare_growth(const Pattern& pattern, std::uint64_t members);

struct WorstCalls {
  double p999 = 0;  // microseconds
  double most = 0;
};

// Times single calls.
class SingleCalls {
 public:
  SingleCalls();
  void reserve(std::size_t calls) { ns_.reserve(calls); }
  template <typename Call>
  void time(const Call& call) {
    const std::int64_t before = now();
    call();
    ns_.push_back(now() - before - reading_);
  }
  WorstCalls worst() const;

 private:
  static std::int64_t now();

  std::int64_t reading_ = 0;  // what reading the clock takes
  std::vector<std::int64_t> ns_;
};

struct GrowthWorst {
  WorstCalls insert;  // of all inserts, from the first member on
  WorstCalls update;
  double idle = 0;  // microseconds
};
GrowthWorst growth_worst(std::uint64_t members);

// The time of each dependent memory access on a board of this size: for the player's bucket, the
// player and the row, which are in three regions of a size each.
double load_ns(std::uint64_t members, double bytes_a_member);

}  // namespace laurel
