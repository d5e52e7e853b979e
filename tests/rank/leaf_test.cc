#include "rank/tree/leaf.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

namespace {

// Random rows in the order of their scores. All forms occur.
std::vector<Place> some_places(std::mt19937_64& random) {
  const std::size_t count = random() % WideRows::kRows + 1;
  const auto step = random() % 3 == 0 ? 0U : static_cast<unsigned>(random() % 53);
  const std::uint64_t span = ~std::uint64_t{0} >> random() % 64;
  const ScoreKey least = random() >> random() % 64;
  const std::uint64_t ties = static_cast<std::uint64_t>(kDay) << random() % 18;
  const std::uint64_t first_tie = random() >> random() % 64;
  const std::uint32_t players = ~0U >> random() % 32;
  std::vector<Place> places(count);
  for (Place& place : places) {
    const ScoreKey above = random() % span >> step << step;
    place = {above > ~least ? ~ScoreKey{0} : least + above,
             std::min(first_tie, ~ties) + random() % ties,
             static_cast<PlayerHandle>(random() % players)};
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.score < b.score; });
  return places;
}

LeafFraming framing_of(const std::vector<Place>& places) {
  LeafExtent extent;
  for (const Place& place : places) extent.add(place);
  return extent.framing();
}

// True if a leaf in which the place fits returns it unchanged.
bool shows(Leaf leaf, const Place& place) {
  leaf.visit([&](auto& rows) { leaf.move(rows, 0, 0, place); });
  return leaf.place(0) == place;
}

}  // namespace

TEST_CASE("a leaf returns its rows unchanged in all forms") {
  const std::uint64_t seed = 11;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::map<LeafForm, int> met;
  for (int turn = 0; turn < 20'000; ++turn) {
    CAPTURE(turn);
    const std::vector<Place> places = some_places(random);
    const LeafFraming framing = framing_of(places);
    ++met[framing.form];
    Leaf leaf;
    leaf.assign(framing, places);
    REQUIRE(leaf.framing() == framing);
    for (std::uint32_t slot = 0; slot < places.size(); ++slot) {
      CAPTURE(slot);
      REQUIRE(leaf.fits(places[slot]));
      REQUIRE(leaf.place(slot) == places[slot]);
      REQUIRE(leaf.has_score(slot, places[slot].score));
      REQUIRE(leaf.has_score(slot, places[slot].score + 1) == false);
      for (const ScoreKey score : {places[slot].score, places[slot].score + 1, random()}) {
        const auto expected =
            std::count_if(places.begin(), places.end(),
                          [score](const Place& place) { return place.score < score; });
        REQUIRE(leaf.better(score) == expected);
      }
    }
    const std::vector<Place> others = some_places(random);
    for (const Place& other : others) {
      if (leaf.fits(other)) REQUIRE(shows(leaf, other));
      Place near = places[random() % places.size()];
      near.score += other.score % 2 == 0 ? other.score : 0;
      near.tie += other.tie % 2 == 0 ? other.tie : 0;
      if (leaf.fits(near)) REQUIRE(shows(leaf, near));
    }
  }
  CHECK(met[LeafForm::narrow] > 1000);
  CHECK(met[LeafForm::crowded] > 100);
  CHECK(met[LeafForm::middle] > 1000);
  CHECK(met[LeafForm::wide] > 1000);
}

TEST_CASE("whole scores of a season are narrow, close fractional ones middle, others wide") {
  const ScoreForm points(Order::desc, std::nullopt);
  std::mt19937_64 random(5);
  const auto form_of = [&](double best, double worst, Time last, PlayerHandle players,
                           bool is_whole) {
    std::vector<Place> places;
    for (int i = 0; i < 30; ++i) {
      const double score = worst + (best - worst) * static_cast<double>(random() % 1000) / 999;
      places.push_back({points.key(is_whole ? std::floor(score) : score / 3).value_or(0),
                        static_cast<std::uint64_t>(last) - random() % kDay,
                        static_cast<PlayerHandle>(random() % players)});
    }
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.score < b.score; });
    return framing_of(places).form;
  };
  CHECK(form_of(9'000'000, 8'000'000, 400 * kDay, 1'000'000, true) == LeafForm::narrow);
  CHECK(form_of(9'000'000, 8'999'000, 400 * kDay, 1'000'000, false) == LeafForm::middle);
  CHECK(form_of(9'000'000, 0, 400 * kDay, 1'000'000, false) == LeafForm::wide);
  CHECK(form_of(9'000'000, 8'000'000, 400 * kDay, 100'000'000, true) == LeafForm::crowded);
  CHECK(form_of(9'000'000, 8'000'000, 400 * kDay, kNoPlayer, true) == LeafForm::crowded);
  CHECK(form_of(9'000'000, 8'999'000, 400 * kDay, 100'000'000, false) == LeafForm::wide);
}

TEST_CASE("reframing a leaf does not change its rows") {
  std::mt19937_64 random(7);
  int reframed = 0;
  for (int turn = 0; turn < 2'000; ++turn) {
    CAPTURE(turn);
    const std::vector<Place> places = some_places(random);
    const LeafFraming framing = framing_of(places);
    if (framing.form == LeafForm::wide || framing.frame.shift == 0) continue;
    Leaf leaf;
    leaf.assign(framing, places);
    LeafFrame finer = framing.frame;
    --finer.shift;
    const unsigned bits = framing.form == LeafForm::middle ? 48 : 32;
    const unsigned player_bits =
        framing.form == LeafForm::crowded ? kCrowdedPlayerBits : kPlayerBits;
    if (!std::all_of(places.begin(), places.end(),
                     [&](const Place& place) { return finer.fits(place, bits, player_bits); })) {
      continue;
    }
    leaf.reframe(finer);
    ++reframed;
    REQUIRE(leaf.framing() == LeafFraming{framing.form, finer});
    for (std::uint32_t slot = 0; slot < places.size(); ++slot) {
      REQUIRE(leaf.place(slot) == places[slot]);
    }
  }
  CHECK(reframed > 100);
}

}  // namespace laurel
