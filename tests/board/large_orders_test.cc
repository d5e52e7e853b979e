// The orders beside a board's own, on a board that is so large that memory is prefetched before it
// is needed. They are compared with the board's list, which other tests compare with an oracle.
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/segments/board_cohorts.h"
#include "fixture.h"
#include "profile/attributes.h"

namespace laurel {

namespace {

constexpr std::size_t kLargePlayers = 22'000;

// Values with hundreds of players, and values with thousands; some players have none.
std::string clan_of(std::size_t player) {
  return player % 11 == 0 ? std::string() : fmt::format("c{}", player % 150);
}
std::string country_of(std::size_t player) {
  return player % 7 == 0 ? std::string() : player % 3 == 0 ? "DE" : "FR";
}

class LargeGame : public Fixture {
 public:
  LargeGame()
      : season(board("season", {{"segments", "clan,country"},
                                {"cohorts", 50.0},
                                {"keep", "latest"},
                                {"decimals", 0.0}})) {
    for (std::size_t i = 0; i < kLargePlayers; ++i) {
      ids.push_back(fmt::format("player{}", i));
      numbers[ids[i]] = i;
      AttributeChanges changes;
      const std::string clan = clan_of(i);
      const std::string country = country_of(i);
      if (!clan.empty()) REQUIRE(changes.add("clan", clan));
      if (!country.empty()) REQUIRE(changes.add("country", country));
      REQUIRE(registry->profiles().save(
          {.id = ids[i], .name = {}, .email = {}, .attributes = changes.text()}, *now));
    }
    groups = &board("groups",
                    {{"engine", "groups"}, {"source", "season"}, {"group", "clan"}, {"best", 3.0}});
  }

  void submit(std::size_t player) {
    REQUIRE(season.submit(WriteMode::submit, result(ids[player], score())));
  }
  void submit_batch(std::size_t players) {
    std::vector<Submission> results;
    for (std::size_t i = 0; i < players; ++i) {
      results.push_back(result(ids[random() % kLargePlayers], score()));
    }
    season.submit_all(results, [](std::size_t, const Refusal& refusal) { FAIL(refusal.text()); });
  }
  double score() { return static_cast<double>(random() % 100'000); }

  // The entries of the list whose players fit.
  template <typename Fits>
  std::string part_of(const Entries& list, Fits fits) const {
    std::string text;
    for (const Entry& entry : list) {
      if (fits(numbers.at(std::string(entry.player)))) text += line(entry);
    }
    return text;
  }
  static std::string line(const Entry& entry) {
    return fmt::format("{} {} at {}\n", entry.player, entry.score, entry.at);
  }
  static std::string whole(const Standings& part) {
    Entries entries;
    part.read(0, SIZE_MAX, entries);
    std::string text;
    for (const Entry& entry : entries) text += line(entry);
    return text;
  }

  void compare_parts() {
    Entries list;
    season.read(0, SIZE_MAX, list);
    for (const std::string_view country : {"DE", "FR"}) {
      CAPTURE(country);
      REQUIRE(whole(**season.segment("country", country)) ==
              part_of(list, [&](std::size_t i) { return country_of(i) == country; }));
    }
    const BoardCohorts& cohorts = **season.cohorts();
    for (int i = 0; i < 5; ++i) {
      const std::string clan = fmt::format("c{}", 1 + random() % 149);
      CAPTURE(clan);
      REQUIRE(whole(**season.segment("clan", clan)) ==
              part_of(list, [&](std::size_t player) { return clan_of(player) == clan; }));
      compare_group(list, clan);
      const std::size_t cohort = random() % (kLargePlayers / 50);
      CAPTURE(cohort);
      REQUIRE(whole(cohorts.board(static_cast<std::uint32_t>(cohort + 1))) ==
              part_of(list, [&](std::size_t player) { return player / 50 == cohort; }));
    }
  }
  void compare_group(const Entries& list, const std::string& clan) {
    double sum = 0;
    int counted = 0;
    for (const Entry& entry : list) {
      if (clan_of(numbers.at(std::string(entry.player))) != clan) continue;
      sum += entry.score;
      if (++counted == 3) break;
    }
    const std::optional<double> held = groups->score(clan);
    REQUIRE(held == (counted > 0 ? std::optional(sum) : std::nullopt));
  }

  Board& season;
  Board* groups = nullptr;
  std::vector<std::string> ids;
  std::map<std::string, std::size_t> numbers;
  std::mt19937_64 random{25};
};

}  // namespace

TEST_CASE("the other orders of a large board follow each of its changes") {
  LargeGame game;
  for (std::size_t i = 0; i < kLargePlayers; ++i) game.submit(i);
  game.compare_parts();

  REQUIRE(game.season.mark());
  Entries then;
  game.season.read(0, SIZE_MAX, then);
  std::map<std::string, Rank> ranks;
  for (const Entry& entry : then) ranks[std::string(entry.player)] = entry.rank;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2000; ++i) game.submit(game.random() % kLargePlayers);
    for (int i = 0; i < 60; ++i) game.submit_batch(1 + game.random() % 100);
    for (int i = 0; i < 200; ++i) {
      const std::string& id = game.ids[game.random() % kLargePlayers];
      REQUIRE(game.season.remove(id));
      if (i % 2 == 0) game.submit(game.numbers.at(id));
    }
    game.compare_parts();
    Entries list;
    game.season.read(0, SIZE_MAX, list);
    for (const Entry& entry : list) {
      REQUIRE(game.season.rank_at_mark(entry) == ranks.at(std::string(entry.player)));
    }
  }
}

}  // namespace laurel
