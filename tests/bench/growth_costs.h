// growth_costs.h - what each call on a board of some size costs.
//
//   cost     nanoseconds a call, the median of many blocks of calls; making its arguments included.
//            Small boards are grown often enough that there are blocks to choose from.
//   speed    of a pattern: what a call costs on a uniform board over what it costs here. Blocks of
//            the two alternate, and the ratio is the median of neighbours': a machine that is slow
//            for a second is so for both.
//   worst    of single calls, in the CPU time of their thread: no other program is in it, page
//            faults and interrupts are. Reading that clock takes some 0.5 us; its median is
//            subtracted. A virtual machine that its host makes to wait counts that in, too: idle
//            is the longest that a thread which only reads its clock lost right after, and as long.
//   load     nanoseconds of one load that waits for the one before, anywhere in as much memory: a
//            call that grows no faster than this waits for memory, and meets no cliff of its own.
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
  std::array<double, kGrowthCalls> ns{};  // an insert's is that of the last two thirds
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
  WorstCalls insert;  // of all, from the first member on
  WorstCalls update;
  double idle = 0;  // microseconds
};
GrowthWorst growth_worst(std::uint64_t members);

// How long a board so large waits for memory each time that it has to: for the player's bucket, the
// player, the row, which lie in three regions of a size each.
double load_ns(std::uint64_t members, double bytes_a_member);

}  // namespace laurel
