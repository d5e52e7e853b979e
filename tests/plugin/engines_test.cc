// The C interface's boards of every engine: fields by name, and players below the cap.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "laurel/players.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Host;

namespace {

laurel_board board_with(Host& host, const char* name, const std::vector<laurel_field>& fields) {
  laurel_spec spec = empty_spec();
  spec.fields = fields.data();
  spec.field_count = fields.size();
  return host.board(name, &spec);
}

}  // namespace

TEST_CASE("a host gives the fields of any engine by name") {
  Host host;
  for (const char* engine : {"capped", "ranked", "padded", "paged", "sharded", "rolling"}) {
    CAPTURE(engine);
    const laurel_board board = board_with(host, engine, {{"engine", engine, 0}});
    CHECK(host.submit(board, "p", 7) == LAUREL_OK);
    CHECK(api().size(host.boards, board) == 1);
  }
  const laurel_board longest =
      board_with(host, "longest", {{"engine", "capped", 0}, {"cap", nullptr, 1}});
  CHECK(host.submit(longest, "p", 1) == LAUREL_OK);
  CHECK(host.submit(longest, "q", 2) == LAUREL_OK);
  CHECK(api().size(host.boards, longest) == 1);
}

TEST_CASE("a host makes a board from other boards, by their names or a pattern") {
  Host host;
  const laurel_board kills = board_with(host, "kills", {{"decimals", nullptr, 0}});
  const laurel_board odd = board_with(host, "a,b*", {{"decimals", nullptr, 0}});
  const laurel_board sum = board_with(host, "sum",
                                      {{"engine", "combined", 0},
                                       {"sources", "kills,a\\,b\\*", 0},
                                       {"weights", "3,-1", 0},
                                       {"order", "asc", 0}});
  const laurel_board count = board_with(
      host, "count", {{"engine", "combined", 0}, {"sources", "k*", 0}, {"take", "count", 0}});
  const laurel_board ratio = board_with(host, "ratio",
                                        {{"engine", "combined", 0},
                                         {"sources", "kills,a\\,b\\*", 0},
                                         {"take", "ratio", 0},
                                         {"decimals", nullptr, 1},
                                         {"least", nullptr, 2}});
  CHECK(host.submit(kills, "ada", 5) == LAUREL_OK);
  CHECK(host.submit(odd, "ada", 2) == LAUREL_OK);
  CHECK(host.submit(odd, "bob", 1) == LAUREL_OK);
  double score = 0;
  CHECK(api().score(host.boards, sum, "ada", &score) == 1);
  CHECK(score == 13);
  CHECK(api().score(host.boards, sum, "bob", &score) == 1);
  CHECK(score == -1);
  CHECK(api().score(host.boards, ratio, "ada", &score) == 1);
  CHECK(score == 2.5);
  CHECK(api().size(host.boards, ratio) == 1);
  CHECK(api().size(host.boards, count) == 1);

  CHECK(host.submit(sum, "ada", 5) == LAUREL_UNSUPPORTED);
  CHECK(api().remove(host.boards, sum, "ada") == 0);
  CHECK(api().drop(host.boards, "kills") == 0);
  CHECK(api().drop(host.boards, "sum") == 1);
  CHECK(api().drop(host.boards, "ratio") == 1);
  CHECK(api().drop(host.boards, "kills") == 1);
  CHECK(api().size(host.boards, count) == 0);
  laurel_spec spec = empty_spec();
  const laurel_field chain[] = {
      {"engine", "combined", 0}, {"sources", "count", 0}, {"take", "count", 0}};
  spec.fields = chain;
  spec.field_count = 3;
  laurel_board out{};
  CHECK(api().board(host.boards, "chain", &spec, &out, &host.error) == LAUREL_INVALID);
  CHECK(std::string(host.error.text).find("not chained") != std::string::npos);
}

TEST_CASE("a host makes a board of groups from an attribute of players") {
  Host host;
  const laurel_board week = board_with(host, "week", {{"decimals", nullptr, 0}});
  const laurel_board clans = board_with(host, "clans",
                                        {{"engine", "groups", 0},
                                         {"source", "week", 0},
                                         {"group", "clan", 0},
                                         {"best", nullptr, 2},
                                         {"least", nullptr, 2}});
  for (const char* player : {"ada", "bob", "cleo"}) {
    const laurel_attribute clan{"clan", "reds"};
    CHECK(api().players->set_attributes(host.boards, player, &clan, 1, &host.error) == LAUREL_OK);
  }
  CHECK(host.submit(week, "ada", 5) == LAUREL_OK);
  CHECK(api().size(host.boards, clans) == 0);
  CHECK(host.submit(week, "bob", 2) == LAUREL_OK);
  CHECK(host.submit(week, "cleo", 1) == LAUREL_OK);
  double score = 0;
  CHECK(api().score(host.boards, clans, "reds", &score) == 1);
  CHECK(score == 7);
  CHECK(host.submit(clans, "reds", 5) == LAUREL_UNSUPPORTED);
  CHECK(api().drop(host.boards, "week") == 0);
  CHECK(api().drop(host.boards, "clans") == 1);
  CHECK(api().drop(host.boards, "week") == 1);
}

TEST_CASE("an invalid field is refused with its name") {
  Host host;
  laurel_spec spec = empty_spec();
  laurel_board out{};
  const laurel_field wrong[] = {{"engine", "rolling", 0}, {"windw.buckets", nullptr, 7}};
  spec.fields = wrong;
  spec.field_count = 2;
  CHECK(api().board(host.boards, "b", &spec, &out, &host.error) == LAUREL_INVALID);
  CHECK(std::string(host.error.text).find("did you mean 'window.buckets'?") != std::string::npos);
  const laurel_field sums[] = {{"engine", "capped", 0}, {"keep", "sum", 0}};
  spec.fields = sums;
  CHECK(api().board(host.boards, "b", &spec, &out, &host.error) == LAUREL_UNSUPPORTED);
  CHECK(api().find(host.boards, "b", nullptr) == 0);
}

TEST_CASE("a spec without named fields from an older host is not read beyond its size") {
  Host host;
  laurel_spec spec = empty_spec();
  spec.struct_size = offsetof(laurel_spec, fields);
  spec.field_count = 1;  // beyond the host's struct, so it must not be read
  CHECK(host.submit(host.board("b", &spec), "p", 1) == LAUREL_OK);
}

TEST_CASE("an outcome says whether a capped board shows the player") {
  Host host;
  const laurel_board board = board_with(host, "b", {{"engine", "capped", 0}, {"cap", nullptr, 1}});
  laurel_outcome outcome{};
  REQUIRE(api().submit(host.boards, board, "anna", 5, nullptr, &outcome, nullptr) == LAUREL_OK);
  CHECK(outcome.shown == 1);
  CHECK(outcome.score == 5);
  CHECK(outcome.changed == 1);
  REQUIRE(api().submit(host.boards, board, "bob", 4, nullptr, &outcome, nullptr) == LAUREL_OK);
  CHECK(outcome.shown == 0);
  CHECK(std::isnan(outcome.score));
  CHECK(outcome.changed == 0);
}
