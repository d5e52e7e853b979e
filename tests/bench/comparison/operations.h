// operations.h - the operations of one board that each candidate performs, many times, on players,
// scores and positions that the workload draws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/measure.h"
#include "bench/workload.h"
#include "board/standings/change.h"

namespace laurel {

enum class Operation { update, batches_of_16, batches_of_64, rank, top_10, page_of_10, count };

template <typename Candidate>
void put_batches(Candidate& candidate, Workload& work, std::size_t calls, std::size_t at_once) {
  std::vector<Id> ids(at_once, Id(0));
  std::vector<Submission> batch(at_once);
  for (std::size_t done = 0; done < calls; done += at_once) {
    for (std::size_t i = 0; i < at_once; ++i) {
      ids[i] = work.member();
      batch[i].player = ids[i];
      batch[i].score = work.score();
    }
    candidate.put_all(batch);
    candidate.tick_if_due();
  }
}

template <typename Candidate>
void run(Candidate& candidate, Operation operation, Workload& work, std::size_t calls) {
  switch (operation) {
    case Operation::update:
      for (std::size_t i = 0; i < calls; ++i) {
        const Id member = work.member();
        candidate.put(member, work.score());
        candidate.tick_if_due();
      }
      break;
    case Operation::batches_of_16: put_batches(candidate, work, calls, 16); break;
    case Operation::batches_of_64: put_batches(candidate, work, calls, 64); break;
    case Operation::rank:
      for (std::size_t i = 0; i < calls; ++i) {
        const Id member = work.member();
        candidate.rank(member);
      }
      break;
    case Operation::top_10:
      for (std::size_t i = 0; i < calls; ++i) candidate.read_10(0);
      break;
    case Operation::page_of_10:
      for (std::size_t i = 0; i < calls; ++i) candidate.read_10(work.position());
      break;
    case Operation::count:
      for (std::size_t i = 0; i < calls; ++i) {
        const double one = work.score();
        const double other = work.score();
        benchmark::DoNotOptimize(candidate.count(std::min(one, other), std::max(one, other)));
      }
      break;
  }
}

// Nanoseconds a call. Some calls run before the measurement, to warm the caches.
template <typename Candidate>
double time_of(Candidate& candidate, Operation operation, Workload& work, std::size_t calls) {
  run(candidate, operation, work, calls / 8);
  const Spent before = time_so_far();
  run(candidate, operation, work, calls);
  return (time_so_far() - before).wall * 1e9 / static_cast<double>(calls);
}

}  // namespace laurel
