// The C interface's reads of places in the order, and exact ranks.
#include "laurel/reads.h"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "laurel/results.h"
#include "laurel/watch.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;
using laurel::test::table;

namespace {

const laurel_reads_api& reads() {
  REQUIRE(api().reads != nullptr);
  return *api().reads;
}

// a 90, b 70, c 70, d 50
struct Four {
  explicit Four(const std::vector<laurel_field>& fields = {}) : board(host.board("b", fields)) {
    const std::pair<const char*, double> results[] = {{"a", 90}, {"b", 70}, {"c", 70}, {"d", 50}};
    for (const auto& [player, score] : results) {
      ++host.now;
      REQUIRE(host.submit(board, player, score) == LAUREL_OK);
    }
  }

  std::string page(uint64_t season = 0) {
    laurel_board_entry entries[8];
    double ranks[8];
    size_t count = 0;
    const laurel_code code =
        reads().page(host.boards, board, season, 1, entries, ranks, 8, &count, &host.error);
    if (code != LAUREL_OK) return host.error.text;
    std::string text;
    for (size_t i = 0; i < count; ++i) text += fmt::format("{} ", ranks[i]);
    return text + "| " + table(entries, count);
  }

  Host host;
  laurel_board board;
};

}  // namespace

TEST_CASE("a host reads the score at a position, and there is none at 0 or behind the last") {
  Four game;
  double score = 0;
  CHECK(reads().score_at(game.host.boards, game.board, 0, 2, &score) == 1);
  CHECK(score == 70);
  CHECK(reads().score_at(game.host.boards, game.board, 0, 4, nullptr) == 1);
  CHECK(reads().score_at(game.host.boards, game.board, 0, 5, &score) == 0);
  CHECK(reads().score_at(game.host.boards, game.board, 0, 0, &score) == 0);
  CHECK(reads().score_at(game.host.boards, game.board, 9, 1, &score) == 0);
  CHECK(reads().score_at(game.host.boards, {0, 0}, 0, 1, &score) == 0);
  CHECK(score == 70);
}

TEST_CASE("a host reads the score at a percentile") {
  Four game;
  int32_t found = -1;
  double score = 0;
  const auto at = [&](double p) {
    return reads().score_at_percentile(game.host.boards, game.board, 0, p, &found, &score,
                                       &game.host.error);
  };
  CHECK(at(25) == LAUREL_OK);
  CHECK(found == 1);
  CHECK(score == 70);
  CHECK(at(99) == LAUREL_OK);
  CHECK(found == 0);
  CHECK(at(NAN) == LAUREL_NOT_FINITE);
}

TEST_CASE("a host reads the top percent, as far as its list has room") {
  Four game;
  laurel_board_entry entries[4];
  double ranks[4];
  size_t count = 0;
  const auto top = [&](double percent, size_t room) {
    const laurel_code code = reads().top_percent(game.host.boards, game.board, 0, percent, entries,
                                                 ranks, room, &count, &game.host.error);
    return code == LAUREL_OK ? table(entries, count) : std::string(game.host.error.text);
  };
  CHECK(top(50, 4) == "1 a 90, 2 b 70");
  CHECK(ranks[1] == 2);
  CHECK(top(100, 1) == "1 a 90");
  CHECK(top(0, 4).empty());
  CHECK(top(NAN, 4) == "not_finite: the percentage is nan");
}

TEST_CASE("a host reads the surroundings of a score, with the rank of a newcomer") {
  Four game;
  laurel_board_entry entries[4];
  size_t count = 0;
  double rank = 0;
  const auto around = [&](double score, size_t n) {
    return reads().around_score(game.host.boards, game.board, 0, score, n, entries, nullptr, &count,
                                &rank, &game.host.error);
  };
  CHECK(around(60, 1) == LAUREL_OK);
  CHECK(table(entries, count) == "2 c 70, 4 d 50");
  CHECK(rank == 4);
  CHECK(around(60, 2) == LAUREL_OK);
  CHECK(count == 4);
  CHECK(around(60, 0) == LAUREL_OK);
  CHECK(count == 0);
  CHECK(around(INFINITY, 1) == LAUREL_NOT_FINITE);
}

TEST_CASE("ranks of a board with fractional ranks are exact as doubles, and whole as numbers") {
  Four game({{"ranking", "fractional", 0}});
  CHECK(game.page() == "1 2.5 2.5 4 | 1 a 90, 2 b 70, 2 c 70, 4 d 50");
  uint64_t whole = 0;
  CHECK(api().rank(game.host.boards, game.board, "b", &whole, nullptr) == 1);
  CHECK(whole == 2);
  laurel_report report{};
  report.struct_size = sizeof report;
  CHECK(api().results->report(game.host.boards, game.board, "e", 50, nullptr, &report, nullptr) ==
        LAUREL_OK);
  CHECK(report.rank == 4);
  CHECK(report.exact_rank == 4.5);
  CHECK(report.exact_previous_rank == 0);
}

TEST_CASE("a watch of a board with fractional ranks tells exact ranks") {
  Four game({{"ranking", "fractional", 0}});
  struct Seen {
    double top = 0, entered = 0, left = 0, moved = 0, previous = 0;
  } seen;
  const auto take = [](void* context, const laurel_watch_event* event) {
    REQUIRE(event->entered_count == 1);
    REQUIRE(event->moved_count == 2);
    *static_cast<Seen*>(context) = {event->top_ranks[2], event->entered_ranks[0],
                                    event->left_ranks[0], event->moved_ranks[0],
                                    event->moved_previous_ranks[0]};
  };
  CHECK(api().watching->watch(game.host.boards, game.board, 3, take, &seen, nullptr, nullptr) ==
        LAUREL_OK);
  CHECK(game.host.submit(game.board, "e", 90) == LAUREL_OK);
  api().tick(game.host.boards);
  CHECK(seen.top == 3.5);      // b
  CHECK(seen.entered == 1.5);  // e
  CHECK(seen.left == 2.5);     // c
  CHECK(seen.moved == 1.5);    // a
  CHECK(seen.previous == 1);
}

TEST_CASE("a host reads a player's rank in any mode, by its word") {
  Four game;
  double rank = 0;
  uint64_t size = 0;
  const auto ask = [&](const char* player, const char* ranking) {
    return reads().rank(game.host.boards, game.board, 0, player, ranking, &rank, &size,
                        &game.host.error);
  };
  CHECK(ask("c", "fractional") == LAUREL_OK);
  CHECK(rank == 2.5);
  CHECK(size == 4);
  CHECK(ask("c", nullptr) == LAUREL_OK);
  CHECK(rank == 2);
  CHECK(ask("nobody", "dense") == LAUREL_OK);
  CHECK(rank == 0);
  CHECK(ask("c", "olympic") == LAUREL_UNKNOWN);
}

TEST_CASE("past seasons are read as the running one") {
  Four game;
  uint64_t ended = 0;
  REQUIRE(api().reset(game.host.boards, game.board, &ended, nullptr) == LAUREL_OK);
  CHECK(game.page(ended) == "1 2 2 4 | 1 a 90, 2 b 70, 2 c 70, 4 d 50");
  CHECK(game.page() == "| ");
  CHECK(game.page(7) == "unknown: season 7 is not kept");
  double score = 0;
  CHECK(reads().score_at(game.host.boards, game.board, ended, 1, &score) == 1);
  CHECK(score == 90);
}
