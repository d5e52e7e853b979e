#include "engine/padded/padded_keys.h"

#include <cmath>
#include <iterator>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace laurel {

namespace {

EngineSpec spec_of(Order order, Ties ties, int decimals = 0, int digits = 10) {
  return {.engine = EngineKind::padded,
          .order = order,
          .ties = ties,
          .decimals = decimals,
          .digits = digits};
}

ScoreKey score_of(const EngineSpec& spec, double score) {
  return ScoreForm(spec.order, spec.decimals).key(score).value();
}

std::string key_of(const EngineSpec& spec, double score, Time at, std::string_view player) {
  return PaddedKeys(spec).key({.player = player, .score = score_of(spec, score), .at = at});
}

bool fits(const EngineSpec& spec, double score) {
  return PaddedKeys(spec).fits(score_of(spec, score));
}

}  // namespace

TEST_CASE("a key is the padded score and the player") {
  const EngineSpec spec = spec_of(Order::desc, Ties::player_desc);
  CHECK(key_of(spec, 8420, 7, "p_alice") == "SCORE#0000008420#p_alice");
  CHECK(key_of(spec_of(Order::asc, Ties::player, 2, 6), 95.07, 7, "a#b") == "SCORE#009507#a#b");
}

TEST_CASE("S3-13: scores are padded, so that 95 sorts before 100 and 1500") {
  const EngineSpec spec = spec_of(Order::desc, Ties::player_desc);
  CHECK(key_of(spec, 95, 0, "p") == "SCORE#0000000095#p");
  CHECK(key_of(spec, 100, 0, "p") == "SCORE#0000000100#p");
  CHECK(key_of(spec, 1500, 0, "p") == "SCORE#0000001500#p");
}

TEST_CASE("S3-13: keys sort as their scores do, in 100,000 random pairs") {
  const std::uint64_t seed = 13;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  int wrong = 0;
  int equal = 0;
  for (int i = 0; i < 100'000; ++i) {
    constexpr int kWidths[] = {10, 12, 15};
    const Order order = random() % 2 == 0 ? Order::desc : Order::asc;
    const EngineSpec spec =
        spec_of(order, Ties::player, static_cast<int>(random() % 5), kWidths[random() % 3]);
    const ScoreForm form(spec.order, spec.decimals);
    // Small and large numbers equally often, and neighbours.
    const auto any = [&] {
      return static_cast<double>((random() % 10'000'000'000) >> random() % 30);
    };
    const double a = any() / 10'000;
    const double b = random() % 4 == 0 ? a + 0.01 : any() / 10'000;
    const ScoreKey key_a = form.key(a).value();
    const ScoreKey key_b = form.key(b).value();
    const int numbers = form.score(key_a) < form.score(key_b)   ? -1
                        : form.score(key_a) > form.score(key_b) ? 1
                                                                : 0;
    const PaddedKeys keys(spec);
    const int texts = keys.key({.player = "p", .score = key_a})
                          .compare(keys.key({.player = "p", .score = key_b}));
    wrong += (texts > 0) - (texts < 0) != numbers ? 1 : 0;
    equal += numbers == 0 ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(equal < 50'000);
}

TEST_CASE("keys of any score sort as the scores do, for any doubles") {
  const std::uint64_t seed = 26;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  constexpr double kOdd[] = {0, 1, -1, 0.1, 1e-308, -1e-308, 5e-324, 1e308, -1e308, 1.0 / 3};
  const auto any = [&] {
    const double odd = kOdd[random() % std::size(kOdd)];
    const double drawn = odd * static_cast<double>(random() % 1000) / 7;
    return random() % 2 == 0 && std::isfinite(drawn) ? drawn : odd;
  };
  for (int i = 0; i < 20'000; ++i) {
    EngineSpec spec = spec_of(random() % 2 == 0 ? Order::desc : Order::asc, Ties::player);
    spec.decimals.reset();
    const double a = any();
    const double b = any();
    const PaddedKeys keys = PaddedKeys::of_any_score(spec);
    REQUIRE(keys.fits(score_of(spec, a)));
    const auto key = [&](double score) {
      return keys.key({.player = "p#", .score = score_of(spec, score)});
    };
    CAPTURE(a);
    CAPTURE(b);
    REQUIRE((key(a) < key(b)) == (a < b));
    REQUIRE((key(a) == key(b)) == (a == b));
    REQUIRE(keys.player(key(a)) == "p#");
    const KeyRange better = keys.better(score_of(spec, b));
    const bool is_better = spec.order == Order::desc ? a > b : a < b;
    REQUIRE((key(a) >= better.from && key(a) < better.to) == is_better);
    const KeyRange not_worse = keys.not_worse(score_of(spec, b));
    REQUIRE((key(a) >= not_worse.from && key(a) < not_worse.to) == (is_better || a == b));
  }
}

TEST_CASE("S3-14: the largest score is all nines in the board's digits") {
  for (const Order order : {Order::desc, Order::asc}) {
    const EngineSpec ten = spec_of(order, Ties::player);
    CHECK(fits(ten, 9'999'999'999));
    CHECK(!fits(ten, 10'000'000'000));
    CHECK(key_of(ten, 9'999'999'999, 0, "p") == "SCORE#9999999999#p");
    const EngineSpec twelve = spec_of(order, Ties::player, 0, 12);
    CHECK(fits(twelve, 999'999'999'999));
    CHECK(!fits(twelve, 1'000'000'000'000));
    const EngineSpec fifteen = spec_of(order, Ties::player, 0, 15);
    CHECK(fits(fifteen, 999'999'999'999'999));
    CHECK(!fits(fifteen, 1'000'000'000'000'000));
    const EngineSpec one = spec_of(order, Ties::player, 0, 1);
    CHECK(fits(one, 9));
    CHECK(!fits(one, 10));
  }
}

TEST_CASE("S3-15: negative scores do not fit, fractions are scaled") {
  for (const Order order : {Order::desc, Order::asc}) {
    const EngineSpec whole = spec_of(order, Ties::player);
    CHECK(fits(whole, 0));
    CHECK(!fits(whole, -1));
    CHECK(!fits(whole, -9'007'199'254'740'991));
    const EngineSpec cents = spec_of(order, Ties::player, 2);
    CHECK(key_of(cents, 0.05, 0, "p") == "SCORE#0000000005#p");
    CHECK(key_of(cents, 93.5, 0, "p") == "SCORE#0000009350#p");
    CHECK(!fits(cents, -0.01));
    CHECK(fits(cents, 99'999'999.99));
    CHECK(!fits(cents, 100'000'000));
  }
}

TEST_CASE("with ties by time the key has the moment in 16 hex digits before the player") {
  const EngineSpec latest = spec_of(Order::desc, Ties::latest);
  CHECK(key_of(latest, 8420, 1, "p_alice") == "SCORE#0000008420#8000000000000001#p_alice");
  CHECK(key_of(latest, 8420, -1, "p_alice") == "SCORE#0000008420#7fffffffffffffff#p_alice");
  const EngineSpec earliest = spec_of(Order::desc, Ties::earliest);
  CHECK(key_of(earliest, 8420, 1, "p_alice") == "SCORE#0000008420#7ffffffffffffffe#p_alice");
}

TEST_CASE("the scan finds moments in the order of the tie rule") {
  for (const Order order : {Order::desc, Order::asc}) {
    for (const Ties ties : {Ties::earliest, Ties::latest}) {
      const EngineSpec spec = spec_of(order, ties);
      const Time moments[] = {-5'000'000, -1, 0, 1, 1'700'000'000'000'000};
      for (std::size_t i = 1; i < std::size(moments); ++i) {
        const std::string earlier = key_of(spec, 7, moments[i - 1], "z");
        const std::string later = key_of(spec, 7, moments[i], "a");
        const bool earlier_first = PaddedKeys(spec).backwards() ? earlier > later : earlier < later;
        CHECK(earlier_first == (ties == Ties::earliest));
      }
    }
  }
}

TEST_CASE("S3-20: keys are split by offsets, so any player id is possible") {
  const std::string longest(255, '#');
  for (const Ties ties : {Ties::earliest, Ties::player}) {
    const EngineSpec spec = spec_of(Order::desc, ties);
    const PaddedKeys keys(spec);
    for (const std::string_view player :
         {std::string_view("a#b"), std::string_view("#"), std::string_view("a\0b", 3),
          std::string_view("SCORE#0000000001#x"), std::string_view(longest)}) {
      const std::string key = key_of(spec, 8420, 5, player);
      CHECK(keys.player(key) == player);
      CHECK(keys.score(key) == "SCORE#0000008420#");
      CHECK(std::string(keys.group(key)).append(player) == key);
    }
  }
}

}  // namespace laurel
