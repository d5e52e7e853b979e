// Many rows, which bulk loading sorts in a second thread.
#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "rank/tree/bulk_load.h"

namespace laurel {

TEST_CASE("a board of many rows is loaded in the order of scores, moments and ids") {
  struct Line {
    ScoreKey score = 0;
    Time at = 0;
    std::string id;
  };
  constexpr std::size_t kRows = 120'000;
  std::mt19937_64 random(1);
  for (const std::uint64_t scores : {std::uint64_t{1} << 40, std::uint64_t{1000}}) {
    CAPTURE(scores);
    Players players(HashSecret::fixed(1));
    CountedTree tree(players, Ties::earliest);
    BulkLoad load(players);
    std::vector<Line> lines(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      lines[i] = {random() % scores, static_cast<Time>(random() % 9), fmt::format("{:06}", i)};
      load.add(lines[i].id, lines[i].score, lines[i].at);
    }
    load.finish(tree);
    tree.check();
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
      return std::tie(a.score, a.at, a.id) < std::tie(b.score, b.at, b.id);
    });
    std::vector<Row> rows(kRows);
    tree.read(0, rows);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool equal = rows[i].score == lines[i].score && rows[i].at == lines[i].at &&
                         players.id(rows[i].player).str() == lines[i].id;
      if (!equal) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace laurel
