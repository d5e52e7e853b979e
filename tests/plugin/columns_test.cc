// The C interface's scores of several columns.
#include "laurel/columns.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;

namespace {

const std::vector<laurel_field> kRace = {{"columns", "laps, seconds asc 3 0 100000", 0},
                                         {"history", nullptr, 5}};

const laurel_columns_api& columns() {
  REQUIRE(api().columns != nullptr);
  return *api().columns;
}

std::vector<double> values_of(Host& host, laurel_board board, double score) {
  std::vector<double> values(LAUREL_COLUMNS_MAX);
  values.resize(columns().values(host.boards, board, score, values.data(), values.size()));
  return values;
}

// The values held, or the refusal.
std::string submitted(Host& host, laurel_board board, int32_t by, std::vector<double> values) {
  laurel_outcome out{};
  const laurel_code code = columns().submit(host.boards, board, by, "ada", values.data(),
                                            values.size(), nullptr, &out, &host.error);
  if (code != LAUREL_OK) return host.error.text;
  return fmt::format("{}", values_of(host, board, out.score));
}

void keep_differences(void* context, const laurel_past_result* result) {
  auto& all = *static_cast<std::vector<std::vector<double>>*>(context);
  all.emplace_back(result->differences, result->differences + result->difference_count);
}

}  // namespace

TEST_CASE("a host describes the columns of a board, and boards of numbers have none") {
  Host host;
  const laurel_board race = host.board("race", kRace);
  CHECK(columns().count(host.boards, race) == 2);
  laurel_column column{};
  column.struct_size = sizeof column;
  REQUIRE(columns().describe(host.boards, race, 1, &column) == 1);
  CHECK(std::string(column.name) == "seconds");
  CHECK(column.is_desc == 0);
  CHECK(column.decimals == 3);
  CHECK(column.min == 0);
  CHECK(column.max == 100000);
  CHECK(columns().describe(host.boards, race, 2, &column) == 0);
  CHECK(columns().count(host.boards, host.board("plain")) == 0);
  CHECK(columns().count(host.boards, {9, 9}) == 0);
}

TEST_CASE("whole scores are numbers that compare as the columns do") {
  Host host;
  const laurel_board race = host.board("race", kRace);
  CHECK(submitted(host, race, LAUREL_BY_SUBMIT, {12, 53.21}) == "[12, 53.21]");
  CHECK(submitted(host, race, LAUREL_BY_SUBMIT, {12, 54}) == "[12, 53.21]");
  CHECK(submitted(host, race, LAUREL_BY_SET, {11, 0}) == "[11, 0]");
  CHECK(submitted(host, race, LAUREL_BY_SUBMIT, {1, 100000.001}) ==
        "out_of_range: column 'seconds': 100000.001 is out of range: it takes 0 to 100000");
  CHECK(submitted(host, race, LAUREL_BY_SUBMIT, {1}) ==
        "invalid: 1 values are given; the board has 2 columns");
  CHECK(submitted(host, race, 9, {1, 1}) == "invalid: by = 9 is no kind of write");

  double better = 0, worse = 0;
  const double twelve[] = {12, 1}, more_seconds[] = {12, 1.001};
  REQUIRE(columns().pack(host.boards, race, twelve, 2, &better, &host.error) == LAUREL_OK);
  REQUIRE(columns().pack(host.boards, race, more_seconds, 2, &worse, &host.error) == LAUREL_OK);
  CHECK(better > worse);
  CHECK(host.submit(race, "bea", better) == LAUREL_OK);
  laurel_board_entry top[2];
  REQUIRE(api().top(host.boards, race, top, 2) == 2);
  CHECK(std::string(top[0].player, top[0].player_size) == "bea");
  CHECK(values_of(host, race, top[0].score) == std::vector<double>{12, 1});
}

TEST_CASE("a number that is no whole score is refused") {
  Host host;
  const laurel_board race = host.board("race", kRace);
  for (const double number : {0.0, 1.0, -1.0, 1e300, std::nan("")}) {
    CHECK(host.submit(race, "ada", number) != LAUREL_OK);
    CHECK(api().add(host.boards, race, "ada", number, nullptr, nullptr, &host.error) != LAUREL_OK);
    CHECK(api().set(host.boards, race, "ada", number, nullptr, nullptr, &host.error) != LAUREL_OK);
    CHECK(values_of(host, race, number).empty());
  }
  CHECK(api().size(host.boards, race) == 0);
  laurel_outcome out{};
  const double one = 1;
  CHECK(columns().submit(host.boards, host.board("plain"), LAUREL_BY_SUBMIT, "ada", &one, 1,
                         nullptr, &out, &host.error) == LAUREL_INVALID);
}

TEST_CASE("differences may be negative, and the history tells them") {
  Host host;
  const laurel_board race = host.board("race", kRace);
  CHECK(submitted(host, race, LAUREL_BY_ADD, {5, 20}) == "[5, 20]");
  CHECK(submitted(host, race, LAUREL_BY_ADD, {-2, -0.5}) == "[3, 19.5]");
  CHECK(
      submitted(host, race, LAUREL_BY_ADD, {-4, 0}) ==
      "out_of_range: column 'laps': the sum of 3 and -4 is out of range: it takes 0 to 999999999");
  std::vector<std::vector<double>> differences;
  CHECK(api().results->history(host.boards, race, "ada", 9, keep_differences, &differences) == 2);
  CHECK(differences == std::vector<std::vector<double>>{{-2, -0.5}, {}});
}

TEST_CASE("one event gives values to boards with and without columns") {
  Host host;
  const laurel_board on[] = {host.board("race", kRace), host.board("plain")};
  const double laps[] = {3, 7.5}, points[] = {40};
  const laurel_values scores[] = {{laps, 2}, {points, 1}};
  double held[2] = {};
  size_t refused = 0;
  REQUIRE(columns().submit_each(host.boards, on, scores, 2, "ada", nullptr, held, &refused,
                                &host.error) == LAUREL_OK);
  CHECK(refused == 2);
  CHECK(values_of(host, on[0], held[0]) == std::vector<double>{3, 7.5});
  CHECK(held[1] == 40);
  const laurel_values wrong[] = {{laps, 2}, {laps, 2}};
  CHECK(columns().submit_each(host.boards, on, wrong, 2, "ada", nullptr, held, &refused,
                              &host.error) == LAUREL_INVALID);
  CHECK(refused == 1);
}
