// The labels of boards.
#include "metrics/submission_counts.h"

#include <string>

#include <doctest/doctest.h>

using laurel::kMetricBoardsMax;
using laurel::SubmissionCounts;

TEST_CASE("the first 200 boards have a label of their own, for good, and the others share one") {
  SubmissionCounts counts;
  for (std::size_t i = 0; i < kMetricBoardsMax; ++i) {
    const std::string board = "b" + std::to_string(i);
    CHECK(counts.label(board) == board);
  }
  CHECK(counts.label("late") == "_other");
  CHECK(counts.label("later") == "_other");
  CHECK(counts.label("b7") == "b7");
  counts.of("late").changed += 2;
  counts.of("later").changed += 1;
  CHECK(counts.of("_other").changed == 3);
}

TEST_CASE("a board with the name of the others is one of them, and takes no label") {
  SubmissionCounts counts;
  CHECK(counts.label("_other") == "_other");
  for (std::size_t i = 0; i < kMetricBoardsMax; ++i) {
    const std::string board = "b" + std::to_string(i);
    CHECK(counts.label(board) == board);
  }
  CHECK(counts.label("late") == "_other");
}

TEST_CASE("counters of a board stay where they are") {
  SubmissionCounts counts;
  laurel::BoardSubmissions& first = counts.of("first");
  for (std::size_t i = 0; i < 2 * kMetricBoardsMax; ++i) counts.of("b" + std::to_string(i));
  first.refused = 7;
  CHECK(&counts.of("first") == &first);
  CHECK(counts.total().refused == 7);
  CHECK(counts.total().submissions == 7);
}
