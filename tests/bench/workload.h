// workload.h - the work of the comparison: random players and scores, the same for every
// candidate with the same seed. Drawing one costs a few nanoseconds, which are measured
// separately and subtracted from every candidate's time.
#pragma once

#include <cstdint>

#include <benchmark/benchmark.h>

#include "board/standings/change.h"
#include "members.h"

namespace laurel {

class Workload {
 public:
  // Scores are whole numbers below `scores`, at most 2^53: with the default, ties are rare.
  Workload(std::uint64_t seed, std::uint64_t members, std::uint64_t scores = std::uint64_t{1} << 53)
      : state_(seed), members_(members), scores_(scores) {}

  // splitmix64 (Sebastiano Vigna).
  std::uint64_t next() {
    std::uint64_t bits = state_ += 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }
  // REQUIRES: a limit of at most 2^32.
  std::uint64_t below(std::uint64_t limit) { return ((next() >> 32) * limit) >> 32; }
  Id member() { return Id(below(members_)); }
  std::uint64_t position() { return below(members_ - 10); }
  double score() { return static_cast<double>((next() >> 11) % scores_); }

 private:
  std::uint64_t state_;
  std::uint64_t members_;
  std::uint64_t scores_;
};

}  // namespace laurel
