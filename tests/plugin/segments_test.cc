// The C interface's segments.
#include "laurel/segments.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "laurel/players.h"
#include "laurel/reads.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;
using laurel::test::table;

namespace {

const laurel_segments_api& segments() {
  REQUIRE(api().segments != nullptr);
  return *api().segments;
}

void live_in(Host& host, const char* player, const char* country) {
  const laurel_attribute attribute{"country", country};
  REQUIRE(api().players->set_attributes(host.boards, player, &attribute, 1, &host.error) ==
          LAUREL_OK);
}

laurel_segment open(Host& host, laurel_board board, const char* value) {
  laurel_segment segment = 0;
  REQUIRE(segments().open(host.boards, board, "country", value, &segment, &host.error) ==
          LAUREL_OK);
  return segment;
}

// A board with two players in Germany and one in France.
laurel_board make_board(Host& host) {
  const laurel_board board = host.board("season", {{"segments", "country,clan", 0}});
  live_in(host, "ada", "DE");
  live_in(host, "bob", "FR");
  live_in(host, "cleo", "DE");
  host.submit(board, "ada", 30);
  host.submit(board, "bob", 20);
  host.submit(board, "cleo", 10);
  return board;
}

std::string top(Host& host, laurel_board board, laurel_segment segment) {
  std::vector<laurel_board_entry> entries(10);
  size_t count = 0;
  if (api().reads->page(host.boards, board, segment, 1, entries.data(), nullptr, entries.size(),
                        &count, &host.error) != LAUREL_OK) {
    return host.error.text;
  }
  return table(entries.data(), count);
}

}  // namespace

TEST_CASE("every function of the table of segments is set") {
  CHECK(laurel::test::is_complete(segments()));
}

TEST_CASE("a host reads segments with the calls that read seasons") {
  Host host;
  const laurel_board board = make_board(host);
  const laurel_segment germany = open(host, board, "DE");
  CHECK(open(host, board, "DE") == germany);
  CHECK(open(host, board, "FR") != germany);
  CHECK(top(host, board, germany) == "1 ada 30, 2 cleo 10");
  CHECK(top(host, board, open(host, board, "nowhere")).empty());
  double rank = 0;
  uint64_t size = 0;
  REQUIRE(api().reads->rank(host.boards, board, germany, "cleo", nullptr, &rank, &size,
                            &host.error) == LAUREL_OK);
  CHECK(rank == 2);
  CHECK(size == 2);
  double score = 0;
  CHECK(api().reads->score_at(host.boards, board, germany, 2, &score) == 1);
  CHECK(score == 10);

  std::vector<laurel_board_entry> around(3);
  size_t count = 0;
  REQUIRE(segments().around(host.boards, board, germany, "cleo", 1, around.data(), nullptr, &count,
                            &host.error) == LAUREL_OK);
  REQUIRE(count == 2);
  double overall[2];
  segments().overall(host.boards, board, around.data(), count, overall);
  CHECK(overall[0] == 1);
  CHECK(overall[1] == 3);

  std::vector<laurel_segment_size> sizes(5);
  REQUIRE(segments().sizes(host.boards, board, "country", sizes.data(), sizes.size(), &count,
                           &host.error) == LAUREL_OK);
  REQUIRE(count == 2);
  CHECK(std::string(sizes[0].value) == "DE");
  CHECK(sizes[0].size == 2);
  CHECK(std::string(sizes[1].value) == "FR");
}

TEST_CASE("what is no segment is refused") {
  Host host;
  const laurel_board board = make_board(host);
  const laurel_board other = host.board("other");
  laurel_segment segment = 0;
  const auto open_of = [&](laurel_board of, const char* attribute, const char* value) {
    return segments().open(host.boards, of, attribute, value, &segment, &host.error);
  };
  CHECK(open_of(board, "platform", "pc") == LAUREL_UNKNOWN);
  CHECK(open_of(board, "country", "") == LAUREL_BAD_DATA);
  CHECK(open_of(board, nullptr, nullptr) == LAUREL_UNKNOWN);
  CHECK(open_of(other, "country", "DE") == LAUREL_UNKNOWN);
  CHECK(open_of({9, 9}, "country", "DE") == LAUREL_UNKNOWN);
  const laurel_segment germany = open(host, board, "DE");
  CHECK(top(host, other, germany).substr(0, 9) == "unknown: ");
  CHECK(top(host, board, germany + 1000).substr(0, 9) == "unknown: ");
  size_t count = 7;
  CHECK(segments().sizes(host.boards, board, "platform", nullptr, 0, &count, &host.error) ==
        LAUREL_UNKNOWN);
  CHECK(segments().around(host.boards, board, 0, "ada", 1, nullptr, nullptr, &count, &host.error) ==
        LAUREL_UNKNOWN);
  host.board("season", {{"segments", "clan", 0}});
  CHECK(top(host, board, germany).substr(0, 9) == "unknown: ");
}

TEST_CASE("a host watches a segment") {
  Host host;
  const laurel_board board = make_board(host);
  std::vector<std::string> told;
  laurel_watch watch = 0;
  const auto on_change = [](void* context, const laurel_watch_event* event) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(event->board) + ": " +
                                                               table(event->top, event->top_count));
  };
  REQUIRE(segments().watch(host.boards, board, open(host, board, "DE"), 1, on_change, &told, &watch,
                           &host.error) == LAUREL_OK);
  host.submit(board, "bob", 90);
  api().tick(host.boards);
  CHECK(told.empty());
  live_in(host, "bob", "DE");
  api().tick(host.boards);
  REQUIRE(told.size() == 1);
  CHECK(told[0] == "season:country=DE: 1 bob 90");
  api().watching->unwatch(host.boards, watch);
  host.submit(board, "ada", 100);
  api().tick(host.boards);
  CHECK(told.size() == 1);
}

TEST_CASE("a host publishes a segment") {
  Host host;
  const laurel_board board = make_board(host);
  laurel_serve_config config{};
  config.struct_size = sizeof config;
  laurel_live* const live = api().serve(host.boards, &config, &host.error);
  REQUIRE(live != nullptr);
  const laurel_segment germany = open(host, board, "DE");
  CHECK(segments().publish(live, board, germany, 10, 0, &host.error) == LAUREL_OK);
  CHECK(segments().publish(live, board, 5, 10, 0, &host.error) == LAUREL_UNKNOWN);
  const laurel_board named_so = host.board("season:country=DE");
  CHECK(api().publish(live, named_so, 10, 0, &host.error) == LAUREL_TAKEN);
  segments().unpublish(live, board, germany);
  CHECK(api().publish(live, named_so, 10, 0, &host.error) == LAUREL_OK);
}

TEST_CASE("a host reads cohorts with the calls that read segments") {
  Host host;
  const laurel_board board = host.board("season", {{"cohorts", nullptr, 2}});
  host.submit(board, "ada", 30);
  host.submit(board, "bob", 20);
  host.submit(board, "cleo", 10);
  laurel_segment first = 0;
  uint64_t number = 0;
  const auto cohort_of = [&](const char* player, uint64_t season = 0) {
    return segments().cohort(host.boards, board, season, player, &first, &number, &host.error);
  };
  REQUIRE(cohort_of("bob") == LAUREL_OK);
  CHECK(number == 1);
  CHECK(top(host, board, first) == "1 ada 30, 2 bob 20");
  const laurel_segment same = first;
  REQUIRE(cohort_of("ada") == LAUREL_OK);
  CHECK(first == same);
  uint64_t count = 0;
  REQUIRE(segments().cohorts(host.boards, board, 0, &count, &host.error) == LAUREL_OK);
  CHECK(count == 2);
  REQUIRE(cohort_of("zoe") == LAUREL_OK);
  CHECK(first == 0);
  CHECK(number == 0);
  REQUIRE(cohort_of(nullptr) == LAUREL_OK);
  CHECK(number == 0);

  std::vector<std::string> told;
  laurel_watch watch = 0;
  const auto on_change = [](void* context, const laurel_watch_event* event) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(event->board) + ": " +
                                                               table(event->top, event->top_count));
  };
  REQUIRE(segments().watch(host.boards, board, same, 1, on_change, &told, &watch, &host.error) ==
          LAUREL_OK);
  host.submit(board, "bob", 90);
  api().tick(host.boards);
  REQUIRE(told.size() == 1);
  CHECK(told[0] == "season:cohort=1: 1 bob 90");

  uint64_t ended = 0;
  REQUIRE(api().reset(host.boards, board, &ended, &host.error) == LAUREL_OK);
  CHECK(top(host, board, same).empty());
  REQUIRE(cohort_of("cleo", 1) == LAUREL_OK);
  CHECK(number == 2);
  CHECK(top(host, board, first) == "1 cleo 10");
  CHECK(segments().watch(host.boards, board, first, 1, on_change, &told, &watch, &host.error) ==
        LAUREL_CLOSED);
  CHECK(cohort_of("ada", 9) == LAUREL_UNKNOWN);
  const laurel_board capped = host.board("capped", {{"engine", "capped", 0}});
  CHECK(segments().cohorts(host.boards, capped, 0, &count, &host.error) == LAUREL_UNSUPPORTED);
  CHECK(segments().cohorts(host.boards, {9, 9}, 0, &count, &host.error) == LAUREL_UNKNOWN);
}
