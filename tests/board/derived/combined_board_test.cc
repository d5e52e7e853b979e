// Combined boards: what they are made from, what they refuse, and who hears of their changes.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "board/standings/entry_cursor.h"
#include "long_form.h"

namespace laurel {

namespace {

// Kills and deaths, with decimals, of a few players.
struct Duel : Fixture {
  Duel() {
    kills = open("kills", {{"decimals", 0.0}, {"keep", "latest"}});
    deaths = open("deaths", {{"decimals", 0.0}, {"keep", "latest"}});
  }

  std::string refused(std::string_view name, const Fields& fields) const {
    Fields all = fields;
    all.emplace_back("engine", "combined");
    SpecChange change;
    for (const auto& [field, value] : all) {
      const Status taken = change.set(field, value);
      if (!taken) return std::string(taken.refusal().text());
    }
    const Result<BoardHandle> made = registry->open(name, change);
    return std::string(made ? "made" : made.refusal().text());
  }
  Board& combined(std::string_view name, const Fields& fields) {
    Fields all = fields;
    all.emplace_back("engine", "combined");
    return board(name, all);
  }
  void submit(BoardHandle handle, std::string_view player, double score) {
    *now += kSecond;
    REQUIRE(registry->get(handle)->submit(WriteMode::submit, result(player, score)));
  }
  // Read after the board was looked up, as all callers do.
  std::string shown(std::string_view name) { return table(*registry->get(*registry->find(name))); }

  BoardHandle kills;
  BoardHandle deaths;
};

}  // namespace

TEST_CASE("a combined board follows each write of its sources") {
  Duel game;
  game.combined("kd", {{"sources", "kills,deaths"}, {"take", "ratio"}});
  game.combined("all", {{"sources", "kills,deaths"}, {"weights", "3,-1"}});
  game.submit(game.kills, "ada", 10);
  CHECK(game.shown("kd") == "");
  CHECK(game.shown("all") == "1 ada 30");
  game.submit(game.deaths, "ada", 3);
  game.submit(game.kills, "bob", 7);
  game.submit(game.deaths, "bob", 2);
  CHECK(game.shown("kd") == "1 bob 3.5, 2 ada 3.333");
  CHECK(game.shown("all") == "1 ada 27, 2 bob 19");
  REQUIRE(game.registry->get(game.deaths)->reset());
  CHECK(game.shown("kd") == "");
  CHECK(game.shown("all") == "1 ada 30, 2 bob 21");
}

TEST_CASE("a season of a source that ends by the clock takes what it held out") {
  Duel game;
  const BoardHandle weekly = game.open("w", {{"decimals", 0.0}, {"reset", "0 * * * *"}});
  const Board& all = game.combined("all", {{"sources", "kills,w"}});
  game.submit(game.kills, "ada", 10);
  game.submit(weekly, "bob", 20);
  CHECK(game.shown("all") == "1 bob 20, 2 ada 10");
  CHECK(all.next_change_at() == game.registry->get(weekly)->next_change_at());
  *game.now += 3601 * kSecond;
  CHECK(game.shown("all") == "1 ada 10");
}

TEST_CASE("its defaults come from the sources") {
  Duel game;
  game.open("points", {{"decimals", 2.0}});
  game.open("plain");
  CHECK(game.combined("s", {{"sources", "kills,points"}}).spec().decimals == 2);
  CHECK(game.combined("s", {{"sources", "kills,points"}}).spec().weights == "1,1");
  const Spec ratio = game.combined("r", {{"sources", "kills,points"}, {"take", "ratio"}}).spec();
  CHECK(ratio.decimals == 3);
  CHECK(ratio.least == 0.01);
  CHECK(game.combined("p", {{"sources", "kills,plain"}, {"take", "ratio"}}).spec().least == 0);
  CHECK(game.combined("c", {{"sources", "points,plain"}, {"take", "count"}}).spec().decimals == 0);
}

TEST_CASE("a combined board that cannot be is refused when it is made, with a sentence") {
  Duel game;
  game.open("plain");
  game.open("rolling", {{"engine", "rolling"}});
  game.open("columns", {{"columns", "laps, seconds asc"}});
  game.open("capped", {{"engine", "capped"}, {"decimals", 0.0}});
  game.combined("all", {{"sources", "kills,deaths"}});
  CHECK(game.refused("x", {}) == "invalid: a combined board takes 'sources'");
  CHECK(game.refused("x", {{"sources", "kills,none"}}) ==
        "invalid: field 'sources': no local board is called \"none\"");
  CHECK(game.refused("x", {{"sources", "kills,all"}}) ==
        "invalid: board \"all\" is no source of combined board \"x\": it is made from other boards "
        "itself, and such boards are not chained");
  CHECK(game.refused("x", {{"sources", "a*"}, {"take", "count"}}) ==
        "invalid: board \"all\" is no source of combined board \"x\": it is made from other boards "
        "itself, and such boards are not chained");
  CHECK(game.refused("x", {{"sources", "x"}}) ==
        "invalid: board \"x\" is no source of combined board \"x\": a board is not made from "
        "itself");
  CHECK(game.refused("x", {{"sources", "plain"}}) ==
        "invalid: board \"plain\" is no source of combined board \"x\": it has no decimals, and "
        "without them a sum is not exact");
  CHECK(game.refused("x", {{"sources", "rolling"}}) ==
        "invalid: board \"rolling\" is no source of combined board \"x\": its engine is "
        "\"rolling\"; take = \"sum\" wants \"ranked\" or \"sharded\" of \"ranked\"");
  CHECK(game.refused("x", {{"sources", "capped"}}) ==
        "invalid: board \"capped\" is no source of combined board \"x\": its engine is \"capped\"; "
        "take = \"sum\" wants \"ranked\" or \"sharded\" of \"ranked\"");
  CHECK(game.refused("x", {{"sources", "columns"}, {"take", "count"}}) ==
        "invalid: board \"columns\" is no source of combined board \"x\": its scores have columns");
  CHECK(game.refused("x", {{"sources", "kills"}, {"take", "ratio"}}) ==
        "invalid: field 'sources' is \"kills\"; with take = \"ratio\" it takes two names");
  CHECK(game.refused("x", {{"sources", "kills,deaths"}, {"weights", "1"}}) ==
        "invalid: field 'weights' has 1 numbers; it takes one for each of the 2 sources");
  CHECK(game.refused("x", {{"sources", "k*"}, {"weights", "1"}}) ==
        "invalid: field 'weights' takes a number for each name of 'sources'; these are a pattern");
  CHECK(game.refused("x", {{"sources", "kills"}, {"take", "count"}, {"weights", "1"}}) ==
        "invalid: field 'weights' has no meaning with take = \"count\"");
  CHECK(game.refused("x", {{"sources", "kills"}, {"least", 1.0}}) ==
        "invalid: field 'least' has no meaning with take = \"sum\"");
  CHECK(game.refused("x", {{"sources", "kills"}, {"least", 0.0}}) ==
        "invalid: field 'least' is 0; it takes a number above 0");
  for (const auto& [field, value] : Fields{{"keep", "best"},
                                           {"reset", "0 0 * * *"},
                                           {"archive", 2.0},
                                           {"join", "open"},
                                           {"rule", "r"},
                                           {"capacity", 5.0},
                                           {"history", 5.0},
                                           {"remote", "main"}}) {
    CHECK(game.refused("x", {{"sources", "kills"}, {field, value}}) ==
          fmt::format("invalid: field '{}' has no meaning with engine \"combined\": the board is "
                      "made from other boards",
                      field));
  }
  CHECK_FALSE(game.registry->find("x"));
}

TEST_CASE("what it is made from cannot change, the rest can") {
  Duel game;
  const Fields fields = {{"sources", "kills,deaths"}, {"take", "ratio"}, {"least", 2.0}};
  game.combined("kd", fields);
  CHECK(game.refused("kd", fields) == "made");
  CHECK(game.refused("kd", {{"sources", "deaths,kills"}}) ==
        "invalid: field 'sources' is \"deaths,kills\" and was \"kills,deaths\": it describes the "
        "stored order and cannot change");
  CHECK(game.refused("kd", {{"least", 3.0}}) ==
        "invalid: field 'least' is 3 and was 2: it describes the stored order and cannot change");
  CHECK(game.refused("kd", {{"meta", "K/D"}, {"ranking", "dense"}}) == "made");
  CHECK(game.registry->get(*game.registry->find("kd"))->spec().meta == "K/D");
}

TEST_CASE("a combined board takes no writes") {
  Duel game;
  game.submit(game.kills, "ada", 1);
  Board& all = game.combined("all", {{"sources", "kills"}});
  const std::string unsupported = "unsupported";
  for (const WriteMode mode : {WriteMode::submit, WriteMode::add, WriteMode::set}) {
    CHECK(verdict(all.submit(mode, result("ada", 5))) == unsupported);
    Submission with_id = result("ada", 5);
    with_id.id = "m1";
    CHECK(verdict(all.submit(mode, with_id)) == unsupported);
  }
  CHECK(verdict(all.submit_report(result("ada", 5))) == unsupported);
  CHECK(verdict(all.set_data("ada", "x")) == unsupported);
  CHECK(verdict(all.remove("ada")) == unsupported);
  CHECK(verdict(all.clear()) == unsupported);
  CHECK(verdict(all.join(result("ada", 5), false)) == unsupported);
  CHECK(verdict(all.leave("ada")) == unsupported);
  CHECK(verdict(all.ban("ada")) == unsupported);
  CHECK(verdict(all.unban("ada")) == unsupported);
  CHECK(verdict(all.grant("ada", 1)) == unsupported);
  CHECK(verdict(all.take_back("ada", 1)) == unsupported);
  CHECK(verdict(all.reset()) == unsupported);
  CHECK(verdict(all.merge({})) == unsupported);
  std::size_t refused = 0;
  const std::vector<Submission> results = {result("ada", 5), result("bob", 6)};
  CHECK(all.submit_all(results, [&](std::size_t, const Refusal& why) {
    CHECK(why.code() == Code::unsupported);
    ++refused;
  }) == 0);
  CHECK(refused == 2);
  std::vector<std::optional<double>> held;
  const std::vector<std::string_view> names = {"kills", "all"};
  const auto several = game.registry->submit(names, result("ada", 5), held);
  REQUIRE(several);
  CHECK(several->board == "all");
  CHECK(game.shown("all") == "1 ada 1");
  CHECK(game.shown("kills") == "1 ada 1");
}

TEST_CASE("a ban of the registry counts once for each board that keeps an entry") {
  Duel game;
  game.submit(game.kills, "ada", 1);
  game.combined("all", {{"sources", "kills,deaths"}});
  REQUIRE(game.registry->ban("ada"));
  CHECK(game.shown("all") == "");
  REQUIRE(game.registry->unban("ada"));
  CHECK(game.shown("all") == "1 ada 1");
  CHECK(*game.registry->rename("ada", "eve"));
  CHECK(game.shown("all") == "1 eve 1");
  CHECK(*game.registry->forget("eve") == 1);
  CHECK(game.shown("all") == "");
}

TEST_CASE("a named source cannot be dropped, one that a pattern means can") {
  Duel game;
  game.combined("all", {{"sources", "kills,deaths"}});
  game.combined("some", {{"sources", "lap_*"}});
  const BoardHandle lap = game.open("lap_1", {{"decimals", 0.0}});
  game.submit(lap, "ada", 5);
  CHECK(game.shown("some") == "1 ada 5");
  CHECK(game.registry->drop("kills").refusal().text() ==
        "invalid: combined board \"all\" is made from board \"kills\": drop that one first");
  CHECK(*game.registry->drop("lap_1"));
  CHECK(game.shown("some") == "");
  CHECK(*game.registry->drop("all"));
  CHECK(*game.registry->drop("kills"));
}

TEST_CASE("a pattern takes boards that are made later, and refuses those that are no source") {
  Duel game;
  game.combined("laps", {{"sources", "lap_*"}});
  const auto opened = [&](std::string_view name, const Fields& fields) {
    const Result<BoardHandle> made = game.registry->open(name, spec(fields));
    return std::string(made ? "made" : made.refusal().text());
  };
  CHECK(opened("lap_1", {{"decimals", 2.0}}) == "made");
  CHECK(opened("lap_2", {}) ==
        "invalid: board \"lap_2\" is no source of combined board \"laps\": it has no decimals, and "
        "without them a sum is not exact");
  CHECK(opened("lap_3", {{"engine", "combined"}, {"sources", "kills"}}) ==
        "invalid: board \"lap_3\" is no source of combined board \"laps\": it is made from other "
        "boards itself, and such boards are not chained");
  CHECK(opened("lap2", {}) == "made");
}

TEST_CASE("a pattern that fits its own board's name does not mean it") {
  Duel game;
  const BoardHandle lap = game.open("lap_1", {{"decimals", 0.0}});
  game.combined("lap_all", {{"sources", "lap_*"}});
  game.submit(lap, "ada", 5);
  CHECK(game.shown("lap_all") == "1 ada 5");
}

TEST_CASE("at most 16 boards are made from one") {
  Duel game;
  for (std::size_t i = 0; i < kDerivedPerSourceMax; ++i) {
    game.combined(fmt::format("c{}", i), {{"sources", "kills"}});
  }
  CHECK(game.refused("one more", {{"sources", "kills"}}) ==
        "unavailable: 16 boards are made from board \"kills\", the most allowed");
}

TEST_CASE("a watch hears of a combined board's changes, by writes and by resets of sources") {
  Duel game;
  game.combined("all", {{"sources", "kills,deaths"}});
  std::vector<std::string> events;
  const auto hear = [&](const WatchEvent& event) {
    std::string text;
    for (const WindowEntry& entry : event.top->entries) {
      text += fmt::format("{} {};", entry.player, entry.score);
    }
    events.push_back(text);
  };
  REQUIRE(game.registry->watch(*game.registry->find("all"), 10, hear));
  game.submit(game.kills, "ada", 5);
  game.registry->tick();
  game.submit(game.deaths, "bob", 6);
  game.registry->tick();
  REQUIRE(game.registry->get(game.deaths)->reset());
  game.registry->tick();
  game.registry->tick();
  CHECK(events == std::vector<std::string>{"ada 5;", "bob 6;ada 5;", "ada 5;"});
}

TEST_CASE("a loop over a combined board visits each player who stays once, whatever changes") {
  for (std::uint64_t seed = 0; seed < short_or_long(50U, 1000U); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Duel game;
    const auto player = [](std::uint64_t i) { return fmt::format("p{}", i); };
    for (std::uint64_t i = 0; i < 20; ++i) {
      game.submit(game.kills, player(i), static_cast<double>(random() % 20));
      game.submit(game.deaths, player(i), static_cast<double>(random() % 20));
    }
    const BoardHandle all = [&] {
      game.combined("all", {{"sources", "kills,deaths"}});
      return *game.registry->find("all");
    }();
    std::map<std::string, int> visits;
    EntryCursor cursor(*game.registry->get(all), 0);
    const bool resets = random() % 2 == 0;
    for (;;) {
      Entries entries;
      (void)game.registry->get(all);
      REQUIRE(cursor.next(entries));
      if (entries.empty()) break;
      ++visits[std::string(entries.front().player)];
      game.submit(game.kills, player(random() % 20), static_cast<double>(random() % 60));
      if (resets && visits.size() == 10) REQUIRE(game.registry->get(game.deaths)->reset());
    }
    CHECK(visits.size() == 20);
    for (const auto& [id, times] : visits) CHECK(times == 1);
  }
}

}  // namespace laurel
