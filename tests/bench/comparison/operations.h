// operations.h - the operations of one board that each contestant performs, many times, on players,
// scores and positions that the workload draws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include "board/standings/change.h"
#include "measure.h"
#include "workload.h"

namespace laurel {

enum class Operation { update, batches_of_16, batches_of_64, rank, top_10, page_of_10, count };

template <typename Contestant>
void put_batches(Contestant& contestant, Workload& work, std::size_t calls, std::size_t at_once) {
  std::vector<Id> ids(at_once, Id(0));
  std::vector<Submission> batch(at_once);
  for (std::size_t done = 0; done < calls; done += at_once) {
    for (std::size_t i = 0; i < at_once; ++i) {
      ids[i] = work.member();
      batch[i].player = ids[i];
      batch[i].score = work.score();
    }
    contestant.put_all(batch);
    contestant.tick_if_due();
  }
}

template <typename Contestant>
void run(Contestant& contestant, Operation operation, Workload& work, std::size_t calls) {
  switch (operation) {
    case Operation::update:
      for (std::size_t i = 0; i < calls; ++i) {
        const Id member = work.member();
        contestant.put(member, work.score());
        contestant.tick_if_due();
      }
      break;
    case Operation::batches_of_16: put_batches(contestant, work, calls, 16); break;
    case Operation::batches_of_64: put_batches(contestant, work, calls, 64); break;
    case Operation::rank:
      for (std::size_t i = 0; i < calls; ++i) {
        const Id member = work.member();
        contestant.rank(member);
      }
      break;
    case Operation::top_10:
      for (std::size_t i = 0; i < calls; ++i) contestant.read_10(0);
      break;
    case Operation::page_of_10:
      for (std::size_t i = 0; i < calls; ++i) contestant.read_10(work.position());
      break;
    case Operation::count:
      for (std::size_t i = 0; i < calls; ++i) {
        const double one = work.score();
        const double other = work.score();
        benchmark::DoNotOptimize(contestant.count(std::min(one, other), std::max(one, other)));
      }
      break;
  }
}

// Nanoseconds a call. Some calls run before the measurement, to warm the caches.
template <typename Contestant>
double time_of(Contestant& contestant, Operation operation, Workload& work, std::size_t calls) {
  run(contestant, operation, work, calls / 8);
  const Spent before = time_so_far();
  run(contestant, operation, work, calls);
  return (time_so_far() - before).wall * 1e9 / static_cast<double>(calls);
}

}  // namespace laurel
