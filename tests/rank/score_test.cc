#include "rank/score/score.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "base/limits.h"

namespace laurel {

namespace {

// Any finite double, with equally likely exponents: also denormals, huge numbers and both zeros.
double any_double(std::mt19937_64& random) {
  for (;;) {
    const double number = std::bit_cast<double>(random());
    if (std::isfinite(number))
      return random() % 16 == 0 ? std::round(std::fmod(number, 8.0)) : number;
  }
}

double sum_of(const ScoreForm& form, std::initializer_list<double> scores) {
  ScoreKey sum = *form.key(0);
  for (const double score : scores) sum = *form.sum(sum, *form.key(score));
  return form.score(sum);
}

}  // namespace

TEST_CASE("keys have the order of the scores for desc and asc") {
  const std::uint64_t seed = 20261120;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const ScoreForm desc(Order::desc, std::nullopt);
  const ScoreForm asc(Order::asc, std::nullopt);
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a = any_double(random);
    const double b = i % 8 == 0 ? std::nextafter(a, 0.0) : any_double(random);
    wrong += (*asc.key(a) < *asc.key(b)) != (a < b) ? 1 : 0;
    wrong += (*desc.key(a) < *desc.key(b)) != (a > b) ? 1 : 0;
    wrong += (*asc.key(a) == *asc.key(b)) != (a == b) ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("without decimals a score is unchanged") {
  std::mt19937_64 random(7);
  int wrong = 0;
  for (const Order order : {Order::desc, Order::asc}) {
    const ScoreForm form(order, std::nullopt);
    CHECK(form.order() == order);
    CHECK(!form.decimals());
    for (int i = 0; i < 100'000; ++i) {
      const double score = any_double(random);
      wrong += form.score(*form.key(score)) != score ? 1 : 0;
    }
    const double max = std::numeric_limits<double>::max();
    const double least = std::numeric_limits<double>::denorm_min();
    for (const double edge : {max, -max, least, -least, 0.0}) {
      CHECK(form.score(*form.key(edge)) == edge);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("minus zero is zero") {
  for (const std::optional<int> decimals : {std::optional<int>{}, std::optional<int>{2}}) {
    const ScoreForm form(Order::desc, decimals);
    CHECK(*form.key(-0.0) == *form.key(0.0));
    CHECK(!std::signbit(form.score(*form.key(-0.0))));
  }
}

TEST_CASE("ten times 0.1 is 1 with one decimal but not without decimals") {
  const auto ten = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  CHECK(sum_of(ScoreForm(Order::desc, 1), ten) == 1.0);
  CHECK(sum_of(ScoreForm(Order::desc, std::nullopt), ten) != 1.0);
  CHECK(sum_of(ScoreForm(Order::asc, 1), {82.3, 11.2}) == 93.5);
}

TEST_CASE("the printed form of a score is rounded half away from zero") {
  CHECK(scaled_decimal(1.005, 2) == 101);  // the double is below 1.005, its printed form is not
  CHECK(scaled_decimal(-1.005, 2) == -101);
  CHECK(scaled_decimal(2.5, 0) == 3);
  CHECK(scaled_decimal(-2.5, 0) == -3);
  CHECK(scaled_decimal(2.4999999999999996, 0) == 2);
  CHECK(scaled_decimal(0.5, 0) == 1);
  CHECK(scaled_decimal(0.49999999999999994, 0) == 0);
  CHECK(scaled_decimal(0.1, 9) == 100'000'000);
  CHECK(scaled_decimal(123456.789, 3) == 123'456'789);
  CHECK(scaled_decimal(0.0, 9) == 0);
}

TEST_CASE("with decimals tiny scores are zero and huge ones out of range") {
  CHECK(scaled_decimal(5e-324, 9) == 0);
  CHECK(scaled_decimal(-1e-300, 9) == 0);
  CHECK(scaled_decimal(4.9999999999999999e-10, 9) == 1);  // it is printed as 5e-10
  CHECK(scaled_decimal(4.999999999e-10, 9) == 0);
  CHECK(scaled_decimal(1e308, 0) == std::nullopt);
  CHECK(scaled_decimal(-1e308, 9) == std::nullopt);
  CHECK(scaled_decimal(9007199254740991.0, 0) == kScaledMax);
  CHECK(scaled_decimal(-9007199254740991.0, 0) == -kScaledMax);
  CHECK(scaled_decimal(9007199254740992.0, 0) == std::nullopt);
  CHECK(scaled_decimal(900719925474099.1, 1) == kScaledMax);
  CHECK(scaled_decimal(9007199.254740992, 9) == std::nullopt);
  CHECK(scaled_decimal(1e15, 1) == std::nullopt);
}

TEST_CASE("with decimals the score of a key is the double nearest to the decimal") {
  std::mt19937_64 random(11);
  int wrong = 0;
  for (int decimals = 0; decimals <= kDecimalsMax; ++decimals) {
    const ScoreForm form(Order::asc, decimals);
    CHECK(form.decimals() == decimals);
    const double scale = std::pow(10.0, decimals);
    for (int i = 0; i < 10'000; ++i) {
      // A double keeps up to 15 digits.
      const auto scaled = static_cast<std::int64_t>(random() >> (15 + random() % 40));
      const double score = static_cast<double>(scaled) / scale;
      wrong += form.score(*form.key(score)) != score ? 1 : 0;
      wrong += scaled_decimal(score, decimals) != scaled ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("with decimals keys have the order of the rounded scores") {
  std::mt19937_64 random(13);
  const ScoreForm form(Order::desc, 2);
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 11), -33);
    const double b =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 11), -33);
    const std::int64_t scaled_a = *scaled_decimal(a, 2);
    const std::int64_t scaled_b = *scaled_decimal(b, 2);
    wrong += (*form.key(a) < *form.key(b)) != (scaled_a > scaled_b) ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a sum out of range is refused") {
  const ScoreForm numbers(Order::desc, std::nullopt);
  const double max = std::numeric_limits<double>::max();
  CHECK(!numbers.sum(*numbers.key(max), *numbers.key(max)));
  CHECK(!numbers.sum(*numbers.key(-max), *numbers.key(-max)));
  CHECK(numbers.score(*numbers.sum(*numbers.key(max), *numbers.key(-max))) == 0);

  const ScoreForm decimals(Order::asc, 1);
  const double largest = static_cast<double>(kScaledMax) / 10;
  CHECK(!decimals.sum(*decimals.key(largest), *decimals.key(0.1)));
  CHECK(!decimals.sum(*decimals.key(-largest), *decimals.key(-0.1)));
  CHECK(decimals.score(*decimals.sum(*decimals.key(largest), *decimals.key(0))) == largest);
}

}  // namespace laurel
