// Positions in the middle of boards that are longer than what is read from their ends.
#include <random>

#include <doctest/doctest.h>

#include "../conformance/twins.h"
#include "remote/limits.h"

namespace laurel {

TEST_CASE("pages and neighbours in the middle of a long board equal those of its local twin") {
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  each_remote([&](const RemoteCandidate& candidate, RemoteGround& ground) {
    Twins twins(candidate, ground,
                {{"engine", "sharded"}, {"shards", 4.0}, {"ranking", "modified"}}, Fixture::kStart);
    const std::size_t size = 3 * kRedisPrefixMax;
    for (std::size_t first = 0; first < size; first += 1000) {
      request::WriteAll all;
      for (std::size_t i = first; i < first + 1000; ++i) {
        OwnedSubmission& each = all.what.emplace_back();
        each.player = fmt::format("p{}", i);
        each.score = static_cast<double>(random() % 400);
        each.at = 1000.0 + static_cast<double>(random() % 20);
      }
      (void)twins.ask(std::move(all));
    }
    for (int i = 0; i < 12; ++i) {
      (void)twins.ask(request::Page{random() % (size + 50), 1 + random() % 40});
      (void)twins.ask(request::Around{fmt::format("p{}", random() % size), random() % 20});
    }
    (void)twins.ask(request::Between{{100, 120}, 500});
    (void)twins.ask(request::Bottom{100});
  });
}

}  // namespace laurel
