#include "rank/score/score_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/limits.h"

namespace laurel {

namespace {

using Random = std::mt19937_64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ScoreColumns::Ptr columns_of(std::string_view text) {
  const Result<ScoreColumns::Ptr> made = ScoreColumns::parse(text);
  REQUIRE(made);
  return *made;
}

std::string refusal_of(std::string_view text) {
  const Result<ScoreColumns::Ptr> made = ScoreColumns::parse(text);
  return made ? "none" : std::string(made.refusal().text());
}

ColumnValues values_of(std::initializer_list<double> list) {
  ColumnValues values{.values = {}, .count = list.size()};
  std::ranges::copy(list, values.values.begin());
  return values;
}

std::vector<double> list_of(const ColumnValues& values) {
  return {values.all().begin(), values.all().end()};
}

// Random columns that take at most 63 bits: also ones of a single bit, and ones with negative
// values.
ScoreColumns::Ptr any_columns(Random& random) {
  for (;;) {
    std::vector<ScoreColumn> columns(kColumnsMin + random() % (kColumnsMax - kColumnsMin + 1));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ScoreColumn& column = columns[i];
      column.name = "column_" + std::to_string(i);
      column.order = random() % 2 == 0 ? Order::desc : Order::asc;
      column.decimals = static_cast<int>(random() % 4);
      const double power = std::pow(10.0, column.decimals);
      const auto range = 1 + (random() & ((std::uint64_t{1} << random() % 40) - 1));
      const auto min = static_cast<std::int64_t>(random() % 2001) - 1000;
      column.min = static_cast<double>(min) / power;
      column.max = static_cast<double>(min + static_cast<std::int64_t>(range)) / power;
    }
    if (const Result<ScoreColumns::Ptr> made = ScoreColumns::make(std::move(columns))) return *made;
  }
}

// Often a bound of the column, or a value next to one.
double any_value(Random& random, const ScoreColumn& column) {
  const double power = std::pow(10.0, column.decimals);
  const auto min = std::llround(column.min * power);
  const auto max = std::llround(column.max * power);
  const auto steps = static_cast<std::uint64_t>(max - min) + 1;
  switch (random() % 4) {
    case 0: return static_cast<double>(min + static_cast<std::int64_t>(random() % steps)) / power;
    case 1:
      return static_cast<double>(max - static_cast<std::int64_t>(random() % steps % 3)) / power;
    default:
      return static_cast<double>(min + static_cast<std::int64_t>(random() % steps % 4)) / power;
  }
}

ColumnValues any_values(Random& random, const ScoreColumns& columns) {
  ColumnValues values{.values = {}, .count = columns.size()};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    values.values[i] = any_value(random, columns[i]);
  }
  return values;
}

// The contract, without numbers: negative if `a` stands before `b` on the board.
int compare(const ScoreColumns& columns, const ColumnValues& a, const ColumnValues& b) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double difference = a.values[i] - b.values[i];
    if (difference != 0) return (difference > 0) == (columns[i].order == Order::desc) ? -1 : 1;
  }
  return 0;
}

// Where a score stands to a bound in a stretch of the board's order, whose low end has the smaller
// first column: negative if it is before the bound. A bound may leave columns out.
int against_bound(const ScoreColumns& columns, const ColumnValues& score,
                  const ColumnValues& bound) {
  for (std::size_t i = 0; i < bound.count; ++i) {
    if (score.values[i] == bound.values[i]) continue;
    const bool with_first = columns[i].order == columns.order();
    return (score.values[i] < bound.values[i]) == with_first ? -1 : 1;
  }
  return 0;
}

}  // namespace

TEST_CASE("numbers of whole scores have the order of a comparison column by column") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    const ScoreColumns::Ptr columns = any_columns(random);
    CAPTURE(columns->text());
    const ScoreForm form(columns->order(), std::nullopt);
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
      const ColumnValues a = any_values(random, *columns);
      const ColumnValues b = any_values(random, *columns);
      const double number_a = *columns->number(a);
      const double number_b = *columns->number(b);
      const auto key_a = *form.key(number_a);
      const auto key_b = *form.key(number_b);
      const int expected = compare(*columns, a, b);
      const int got = key_a < key_b ? -1 : key_a > key_b ? 1 : 0;
      wrong += expected != got ? 1 : 0;
      wrong += list_of(columns->values(number_a)) != list_of(a) ? 1 : 0;
      wrong += form.score(key_a) != number_a ? 1 : 0;
      wrong +=
          (columns->digits_text(number_a) < columns->digits_text(number_b)) != (number_a < number_b)
              ? 1
              : 0;
      wrong += columns->digits_text(number_a).size() != columns->digits_bytes() ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("bounds of a stretch are those of a search through all scores") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 300; ++round) {
    const ScoreColumns::Ptr columns = any_columns(random);
    CAPTURE(columns->text());
    std::vector<ColumnValues> scores;
    for (int i = 0; i < 40; ++i) scores.push_back(any_values(random, *columns));
    ColumnValues bound = any_values(random, *columns);
    bound.count = random() % (columns->size() + 1);
    for (std::size_t i = 0; i < bound.count; ++i) {
      if (random() % 4 == 0) bound.values[i] += 0.4 / std::pow(10.0, (*columns)[i].decimals);
      if (random() % 10 == 0) bound.values[i] = random() % 2 == 0 ? kInfinity : -kInfinity;
      if (random() % 10 == 0) bound.values[i] = random() % 2 == 0 ? 1e300 : -5e9;
    }
    CAPTURE(list_of(bound).size());
    const std::optional<double> low = columns->lowest_from(bound);
    const std::optional<double> high = columns->highest_to(bound);
    CHECK((!low || columns->is_whole(*low)));
    CHECK((!high || columns->is_whole(*high)));
    int wrong = 0;
    for (const ColumnValues& score : scores) {
      const double number = *columns->number(score);
      const int place = against_bound(*columns, score, bound);
      wrong += (low && number >= *low) != (place >= 0) ? 1 : 0;
      wrong += (high && number <= *high) != (place <= 0) ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a bound that leaves out later columns has all that have its first ones") {
  const auto columns = columns_of("laps, seconds asc 3 0 100000");
  const ColumnValues twelve = values_of({12});
  CHECK(columns->lowest_from(twelve) == *columns->number(values_of({12, 100000})));
  CHECK(columns->highest_to(twelve) == *columns->number(values_of({12, 0})));
  CHECK(columns->lowest_from(values_of({})) == columns->lowest());
  CHECK(columns->highest_to(values_of({})) == columns->highest());
}

TEST_CASE("a sum adds column by column, and only what is held afterwards is bounded") {
  const auto columns = columns_of("points desc 1 5 100, deaths asc 0 -3 3");
  const auto add = [&](std::optional<double> held, std::initializer_list<double> more) {
    const Result<ColumnValues> differences = columns->differences(values_of(more));
    REQUIRE(differences);
    return columns->sum(held, *differences);
  };
  const Result<double> first = add(std::nullopt, {7.25, -1});
  REQUIRE(first);
  CHECK(list_of(columns->values(*first)) == std::vector{7.3, -1.0});
  const Result<double> next = add(*first, {-2.3, 4});
  REQUIRE(next);
  CHECK(list_of(columns->values(*next)) == std::vector{5.0, 3.0});
  CHECK(add(*next, {-0.1, 0}).refusal().text() ==
        "out_of_range: column 'points': the sum of 5 and -0.1 is out of range: it takes 5 to 100");
  CHECK(add(*next, {0, 1}).refusal().code() == Code::out_of_range);
  CHECK(add(std::nullopt, {4.9, 0}).refusal().code() == Code::out_of_range);
  CHECK(columns->differences(values_of({1e300, 0})).refusal().code() == Code::out_of_range);
  CHECK(columns->differences(values_of({0, std::nan("")})).refusal().text() ==
        "not_finite: column 'deaths' is nan");
}

TEST_CASE("values are rounded half away from zero, and refused by the name of their column") {
  const auto columns = columns_of("laps, seconds asc 2 -10 10");
  const auto held = [&](double laps, double seconds) {
    const Result<double> number = columns->number(values_of({laps, seconds}));
    return number ? list_of(columns->values(*number)) : std::vector<double>();
  };
  CHECK(held(2.5, 1.005) == std::vector{3.0, 1.01});
  CHECK(held(0.4, -1.005) == std::vector{0.0, -1.01});
  CHECK(held(-0.4, 10.004) == std::vector{0.0, 10.0});
  CHECK(columns->number(values_of({-0.5, 0})).refusal().text() ==
        "out_of_range: column 'laps': -0.5 is out of range: it takes 0 to 999999999");
  CHECK(columns->number(values_of({0, 10.005})).refusal().code() == Code::out_of_range);
  CHECK(columns->number(values_of({1, kInfinity})).refusal().code() == Code::not_finite);
}

TEST_CASE("columns are read with their defaults filled in, and bad ones are refused") {
  CHECK(columns_of("laps, seconds asc 3 0 100000")->text() ==
        "laps desc 0 0 999999999, seconds asc 3 0 100000");
  CHECK(columns_of("a desc 9 -1.5 1.5,b asc 0 -0 1")->text() == "a desc 9 -1.5 1.5, b asc 0 0 1");
  CHECK(refusal_of("laps") == "invalid: there are 1 columns; a board has 2 to 5");
  CHECK(refusal_of("a,b,c,d,e,f") == "invalid: there are 6 columns; a board has 2 to 5");
  CHECK(refusal_of("a, a") == "invalid: two columns are called 'a'");
  CHECK(refusal_of("a, b-c").starts_with("invalid: a column's name is \"b-c\"; it takes 1 to 32"));
  CHECK(refusal_of("a, b up").starts_with("invalid: \"b up\" is no column"));
  CHECK(refusal_of("a, b asc 10").starts_with("invalid: \"b asc 10\" is no column"));
  CHECK(refusal_of("a, b asc 0 5 5") ==
        "invalid: column 'b': 'min' is 5; it takes less than 'max', 5");
  CHECK(
      refusal_of("a, b asc 1 0 1.25").starts_with("invalid: column 'b': 'max' is 1.25; it takes"));
  CHECK(refusal_of("laps, seconds asc 3 0 9999999.999") ==
        "invalid: columns take 64 bits (laps 30, seconds 34), at most 63");
  CHECK(columns_of("a asc 0 0 9007199254740992, b asc 0 0 511")->text() ==
        "a asc 0 0 9007199254740992, b asc 0 0 511");
}

TEST_CASE("the largest columns keep their values exactly") {
  const auto columns = columns_of("a asc 0 0 4611686018427387, b desc 0 0 1023");
  for (const double a : {0.0, 1.0, 4611686018427386.0, 4611686018427387.0}) {
    for (const double b : {0.0, 1.0, 1022.0, 1023.0}) {
      const Result<double> number = columns->number(values_of({a, b}));
      REQUIRE(number);
      CHECK(std::isnormal(*number));
      CHECK(list_of(columns->values(*number)) == std::vector{a, b});
    }
  }
  CHECK(!columns->is_whole(0));
  CHECK(!columns->is_whole(1e300));
  CHECK(!columns->is_whole(kInfinity));
}

}  // namespace laurel
