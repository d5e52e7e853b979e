// The C interface's marks.
#include "laurel/marks.h"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;

namespace {

const laurel_marks_api& marks() {
  REQUIRE(api().marks != nullptr);
  return *api().marks;
}

void submit(Host& host, laurel_board board, const char* player, double score) {
  REQUIRE(api().submit(host.boards, board, player, score, nullptr, nullptr, &host.error) ==
          LAUREL_OK);
}

}  // namespace

TEST_CASE("a host sets a mark and reads who climbed since") {
  Host host;
  const laurel_board board = host.board("season");
  submit(host, board, "ada", 10);
  submit(host, board, "bob", 20);
  int64_t at = 0;
  REQUIRE(marks().mark(host.boards, board, &at, &host.error) == LAUREL_OK);
  submit(host, board, "ada", 30);
  submit(host, board, "eve", 5);

  laurel_since since{};
  since.struct_size = sizeof since;
  REQUIRE(marks().since(host.boards, board, "ada", &since) == 1);
  CHECK(since.has_mark == 1);
  CHECK(since.mark == at);
  CHECK(since.rank == 1);
  CHECK(since.previous_rank == 2);
  CHECK(since.score == 30);
  CHECK(since.previous == 10);
  REQUIRE(marks().since(host.boards, board, "eve", &since) == 1);
  CHECK(since.previous_rank == 0);
  CHECK(std::isnan(since.previous));
  CHECK(marks().since(host.boards, board, "nobody", &since) == 0);

  const std::vector<const char*> players = {"ada", "bob", "eve", "nobody", nullptr};
  std::vector<double> changes(players.size());
  marks().rank_changes(host.boards, board, players.data(), players.size(), changes.data());
  CHECK(changes[0] == 1);
  CHECK(changes[1] == -1);
  CHECK(std::isnan(changes[2]));
  CHECK(std::isnan(changes[3]));
  CHECK(std::isnan(changes[4]));
}

TEST_CASE("a host is told that an engine has no marks") {
  Host host;
  const laurel_board board = host.board("pages", {{"engine", "paged", 0}});
  CHECK(marks().mark(host.boards, board, nullptr, &host.error) == LAUREL_UNSUPPORTED);
  CHECK(marks().mark(host.boards, {9, 9}, nullptr, &host.error) == LAUREL_UNKNOWN);
  laurel_since since{};
  since.struct_size = sizeof since;
  CHECK(marks().since(host.boards, board, "ada", &since) == 0);
}
