// Boards of groups: what they are made from, what they refuse, their seasons, and who hears of
// their changes.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/fixture.h"
#include "board/segments/segment_orders.h"
#include "board/standings/entry_cursor.h"
#include "registry/derived/group_totals.h"

namespace laurel {

namespace {

// A week's points of players who may have a clan.
struct Week : Fixture {
  explicit Week(const Fields& fields = {}) {
    Fields all = {{"decimals", 0.0}, {"keep", "latest"}};
    all.insert(all.end(), fields.begin(), fields.end());
    week = open("week", all);
  }

  static Fields groups_of(const Fields& fields) {
    Fields all = {{"engine", "groups"}, {"source", "week"}, {"group", "clan"}};
    for (const auto& field : fields) {
      std::erase_if(all, [&](const auto& each) { return each.first == field.first; });
      all.push_back(field);
    }
    return all;
  }
  std::string refused(std::string_view name, const Fields& fields) const {
    SpecChange change;
    for (const auto& [field, value] : fields) {
      const Status taken = change.set(field, value);
      if (!taken) return std::string(taken.refusal().text());
    }
    const Result<BoardHandle> made = registry->open(name, change);
    return std::string(made ? "made" : made.refusal().text());
  }
  Board& groups(std::string_view name, const Fields& fields = {}) {
    return board(name, groups_of(fields));
  }
  void submit(std::string_view player, double score) {
    *now += kSecond;
    REQUIRE(registry->get(week)->submit(WriteMode::submit, result(player, score)));
  }
  void set(std::string_view player, std::optional<std::string_view> clan) const {
    AttributeChanges changes;
    REQUIRE(changes.add("clan", clan));
    REQUIRE(registry->profiles().save(
        {.id = player, .name = {}, .email = {}, .attributes = changes.text()}, *now));
  }
  // Four players of two clans, and one without.
  void fill() {
    set("ada", "reds");
    set("bob", "reds");
    set("cleo", "blues");
    set("dan", "blues");
    for (const auto& [player, score] :
         Results{{"ada", 10}, {"bob", 5}, {"cleo", 8}, {"dan", 4}, {"eve", 100}}) {
      submit(player, score);
    }
  }
  std::string shown(std::string_view name) const {
    return table(*registry->get(*registry->find(name)));
  }

  BoardHandle week;
};

}  // namespace

TEST_CASE("a board of groups follows each write, and each change of an attribute") {
  Week game;
  game.groups("sum");
  game.groups("mean", {{"take", "mean"}, {"decimals", 1.0}});
  game.groups("best", {{"take", "best"}});
  game.groups("two", {{"best", 2.0}});
  game.fill();
  CHECK(game.shown("sum") == "1 reds 15, 2 blues 12");
  CHECK(game.shown("mean") == "1 reds 7.5, 2 blues 6");
  CHECK(game.shown("best") == "1 reds 10, 2 blues 8");
  CHECK(game.shown("two") == "1 reds 15, 2 blues 12");
  game.set("eve", "blues");
  CHECK(game.shown("sum") == "1 blues 112, 2 reds 15");
  CHECK(game.shown("mean") == "1 blues 37.3, 2 reds 7.5");
  CHECK(game.shown("best") == "1 blues 100, 2 reds 10");
  CHECK(game.shown("two") == "1 blues 108, 2 reds 15");
  REQUIRE(game.registry->get(game.week)->ban("ada"));
  game.set("cleo", std::nullopt);
  CHECK(game.shown("sum") == "1 blues 104, 2 reds 5");
  CHECK(game.shown("two") == "1 blues 104, 2 reds 5");
  CHECK(*game.registry->forget("bob") == 1);
  CHECK(game.shown("sum") == "1 blues 104");
  CHECK(game.shown("best") == "1 blues 100");
}

TEST_CASE("groups with fewer members than `least` are not listed") {
  Week game;
  game.groups("sum", {{"least", 2.0}});
  game.groups("best", {{"least", 2.0}, {"take", "best"}});
  game.set("ada", "reds");
  game.set("bob", "reds");
  game.submit("ada", 10);
  CHECK(game.shown("sum") == "");
  CHECK(game.shown("best") == "");
  game.submit("bob", 5);
  CHECK(game.shown("sum") == "1 reds 15");
  CHECK(game.shown("best") == "1 reds 10");
  REQUIRE(game.registry->get(game.week)->remove("ada"));
  CHECK(game.shown("sum") == "");
  CHECK(game.shown("best") == "");
}

TEST_CASE("a group's moment is the latest of those that count") {
  Week game;
  const Board& sum = game.groups("sum");
  const Board& best = game.groups("best", {{"take", "best"}});
  const Board& two = game.groups("two", {{"best", 2.0}});
  for (const std::string_view player : {"ada", "bob", "cleo"}) game.set(player, "reds");
  const auto submit = [&](std::string_view player, double score, double at) {
    Submission submission = result(player, score);
    submission.at = at;
    REQUIRE(game.registry->get(game.week)->submit(WriteMode::submit, submission));
  };
  const auto at = [](const Board& board) { return seconds_from_time(board.get("reds")->at); };
  submit("ada", 30, 10);
  submit("bob", 20, 20);
  submit("cleo", 10, 30);
  CHECK(at(*game.registry->get(*game.registry->find("sum"))) == 30);
  CHECK(at(*game.registry->get(*game.registry->find("best"))) == 10);
  CHECK(at(*game.registry->get(*game.registry->find("two"))) == 20);
  submit("cleo", 11, 5);
  CHECK(at(sum) == 20);
  submit("bob", 21, 1);
  CHECK(at(sum) == 10);
  CHECK(at(two) == 10);
  submit("bob", 40, 3);
  CHECK(at(best) == 3);
  REQUIRE(game.registry->get(game.week)->remove("ada"));
  CHECK(at(sum) == 5);
}

TEST_CASE("a board of groups that cannot be is refused when it is made, with a sentence") {
  Week game;
  game.open("plain");
  game.open("rolling", {{"engine", "rolling"}});
  game.open("capped", {{"engine", "capped"}, {"decimals", 0.0}});
  game.open("columns", {{"columns", "laps, seconds asc"}});
  game.open("both", {{"engine", "combined"}, {"sources", "week"}});
  game.groups("sum");
  const auto refused = [&](const Fields& fields) {
    return game.refused("x", Week::groups_of(fields));
  };
  CHECK(game.refused("x", {{"engine", "groups"}, {"group", "clan"}}) ==
        "invalid: a board of groups takes 'source'");
  CHECK(game.refused("x", {{"engine", "groups"}, {"source", "week"}}) ==
        "invalid: a board of groups takes 'group'");
  CHECK(refused({{"source", "none"}}) ==
        "invalid: field 'source': no local board is called \"none\"");
  CHECK(refused({{"source", "x"}}) ==
        "invalid: board \"x\" is no source of board of groups \"x\": a board is not made from "
        "itself");
  const std::string chained =
      "it is made from other boards itself, and such boards are not chained";
  CHECK(refused({{"source", "both"}}) ==
        "invalid: board \"both\" is no source of board of groups \"x\": " + chained);
  CHECK(refused({{"source", "sum"}}) ==
        "invalid: board \"sum\" is no source of board of groups \"x\": " + chained);
  CHECK(game.refused("x", {{"engine", "combined"}, {"sources", "week,sum"}}) ==
        "invalid: board \"sum\" is no source of combined board \"x\": " + chained);
  CHECK(refused({{"source", "plain"}}) ==
        "invalid: board \"plain\" is no source of board of groups \"x\": it has no decimals, and "
        "without them a sum is not exact");
  CHECK(refused({{"source", "plain"}, {"take", "best"}}) == "made");
  REQUIRE(game.registry->drop("x"));
  CHECK(refused({{"source", "rolling"}}) ==
        "invalid: board \"rolling\" is no source of board of groups \"x\": its engine is "
        "\"rolling\"; take = \"sum\" wants \"ranked\" or \"sharded\" of \"ranked\"");
  CHECK(refused({{"source", "capped"}, {"take", "best"}}) ==
        "invalid: board \"capped\" is no source of board of groups \"x\": its engine is "
        "\"capped\"; take = \"best\" wants \"ranked\" or \"sharded\" of \"ranked\"");
  CHECK(
      refused({{"source", "columns"}}) ==
      "invalid: board \"columns\" is no source of board of groups \"x\": its scores have columns");
  CHECK(refused({{"take", "ratio"}}) ==
        "invalid: field 'take' is \"ratio\"; with engine \"groups\" it takes \"sum\", \"mean\" or "
        "\"best\"");
  CHECK(refused({{"take", "best"}, {"best", 5.0}}) ==
        "invalid: field 'best' has no meaning with take = \"best\"");
  CHECK(refused({{"best", 101.0}}) ==
        "invalid: field 'best' is 101; it takes a whole number from 1 to 100, or false for all "
        "members");
  CHECK(refused({{"least", 1.5}}) ==
        "invalid: field 'least' is 1.5; with engine \"groups\" it takes a number of members from 1 "
        "to 2^53");
  CHECK(refused({{"group", ""}}) ==
        "invalid: field 'group' is \"\"; it takes the name of an attribute of players: 1 to 64 "
        "bytes");
  CHECK(refused({{"order", "asc"}}) ==
        "invalid: field 'order' is \"asc\"; a board of groups has that of its source \"week\", "
        "\"desc\"");
  CHECK(refused({{"decimals", 2.0}}) ==
        "invalid: field 'decimals' is 2; a board of groups has that of its source \"week\", 0");
  CHECK(game.refused("x", {{"engine", "combined"}, {"sources", "week"}, {"take", "mean"}}) ==
        "invalid: field 'take' is \"mean\"; with engine \"combined\" it takes \"sum\", \"ratio\", "
        "\"count\" or \"firsts\"");
  CHECK(game.refused("x", {{"group", "clan"}}) ==
        "invalid: field 'group' belongs to engine \"groups\"; this board's is \"ranked\"");
  for (const auto& [field, value] : Fields{{"keep", "best"},
                                           {"reset", "0 0 * * *"},
                                           {"zone", "UTC"},
                                           {"join", "open"},
                                           {"rule", "r"},
                                           {"capacity", 5.0},
                                           {"history", 5.0},
                                           {"segments", "clan"},
                                           {"remote", "main"}}) {
    CHECK(refused({{field, value}}) ==
          fmt::format("invalid: field '{}' has no meaning with engine \"groups\": the board is "
                      "made from another board",
                      field));
  }
  CHECK_FALSE(game.registry->find("x"));
}

TEST_CASE("what it is made from cannot change, the rest can") {
  Week game;
  game.groups("sum", {{"best", 5.0}, {"least", 2.0}});
  CHECK(game.refused("sum", Week::groups_of({{"best", 5.0}, {"least", 2.0}})) == "made");
  CHECK(game.refused("sum", {{"group", "country"}}) ==
        "invalid: field 'group' is \"country\" and was \"clan\": it describes the stored order and "
        "cannot change");
  CHECK(game.refused("sum", {{"best", false}}) ==
        "invalid: field 'best' is none and was 5: it describes the stored order and cannot change");
  CHECK(game.refused("sum", {{"meta", "Clans"}, {"ranking", "dense"}, {"archive", 3.0}}) == "made");
  CHECK(game.registry->get(*game.registry->find("sum"))->spec().archive == 3);
}

TEST_CASE("order, decimals and columns are the source's, and a mean may have its own decimals") {
  Week game;
  game.open("times", {{"order", "asc"}, {"decimals", 2.0}});
  game.open("laps", {{"columns", "laps, seconds asc"}});
  const Spec sum = game.groups("sum", {{"source", "times"}}).spec();
  CHECK(sum.order == Order::asc);
  CHECK(sum.decimals == 2);
  CHECK(sum.least == 1);
  CHECK(game.groups("mean", {{"take", "mean"}, {"source", "times"}}).spec().decimals == 2);
  const Spec mean =
      game.groups("fine", {{"take", "mean"}, {"source", "times"}, {"decimals", 4.0}}).spec();
  CHECK(mean.decimals == 4);
  const Board& best = game.groups("best", {{"take", "best"}, {"source", "laps"}});
  REQUIRE(best.columns());
  CHECK(best.columns()->text() == game.board("laps").columns()->text());
}

TEST_CASE("a mean is rounded half away from zero, and a sum is exact") {
  Week game;
  game.open("cents", {{"decimals", 1.0}, {"keep", "latest"}});
  game.groups("sum", {{"source", "cents"}});
  game.groups("mean", {{"source", "cents"}, {"take", "mean"}, {"decimals", 0.0}});
  game.groups("fine", {{"source", "cents"}, {"take", "mean"}, {"decimals", 3.0}});
  Board& cents = game.board("cents");
  for (const std::string_view player : {"ada", "bob", "cleo"}) game.set(player, "reds");
  REQUIRE(cents.submit(WriteMode::submit, result("ada", 0.1)));
  REQUIRE(cents.submit(WriteMode::submit, result("bob", 0.2)));
  CHECK(game.shown("sum") == "1 reds 0.3");
  CHECK(game.shown("fine") == "1 reds 0.15");
  REQUIRE(cents.submit(WriteMode::submit, result("ada", -1.2)));
  CHECK(game.shown("mean") == "1 reds -1");
  REQUIRE(cents.submit(WriteMode::submit, result("cleo", -0.1)));
  CHECK(game.shown("fine") == "1 reds -0.367");
}

TEST_CASE("a sum stops at 2^53, and continues exactly when it is within it again") {
  Week game;
  game.groups("sum");
  const double large = 9007199254740990;  // 2^53 - 2
  game.set("ada", "reds");
  game.set("bob", "reds");
  game.submit("ada", large);
  game.submit("bob", 1);
  CHECK(game.registry->get(*game.registry->find("sum"))->score("reds") == large + 1);
  CHECK(game.log.empty());
  game.submit("bob", 1000);
  CHECK(game.registry->get(*game.registry->find("sum"))->score("reds") == large + 1);
  game.submit("bob", 2000);
  REQUIRE(game.log.size() == 1);
  CHECK(game.log[0] ==
        "warn: board \"sum\": the score of group \"reds\" is beyond what a score holds, and stops "
        "there");
  game.submit("ada", 5);
  CHECK(game.shown("sum") == "1 reds 2005");
}

TEST_CASE("a board of groups takes no writes") {
  Week game;
  game.fill();
  Board& sum = game.groups("sum");
  const std::string unsupported = "unsupported";
  for (const WriteMode mode : {WriteMode::submit, WriteMode::add, WriteMode::set}) {
    CHECK(verdict(sum.submit(mode, result("reds", 5))) == unsupported);
  }
  CHECK(verdict(sum.submit_report(result("reds", 5))) == unsupported);
  CHECK(verdict(sum.set_data("reds", "x")) == unsupported);
  CHECK(verdict(sum.remove("reds")) == unsupported);
  CHECK(verdict(sum.clear()) == unsupported);
  CHECK(verdict(sum.join(result("reds", 5), false)) == unsupported);
  CHECK(verdict(sum.leave("reds")) == unsupported);
  CHECK(verdict(sum.ban("reds")) == unsupported);
  CHECK(verdict(sum.unban("reds")) == unsupported);
  CHECK(verdict(sum.reset()) == unsupported);
  CHECK(verdict(sum.mark()) == unsupported);
  CHECK(game.shown("sum") == "1 reds 15, 2 blues 12");
}

TEST_CASE("a player with a group's name is another one") {
  Week game;
  game.fill();
  game.set("reds", "blues");
  game.submit("reds", 1);
  game.groups("sum");
  game.groups("best", {{"take", "best"}});
  CHECK(game.shown("sum") == "1 reds 15, 2 blues 13");
  REQUIRE(game.registry->ban("reds"));
  CHECK(game.shown("sum") == "1 reds 15, 2 blues 12");
  REQUIRE(game.registry->unban("reds"));
  CHECK(game.registry->scores_of("reds").size() == 1);
  CHECK(*game.registry->rename("reds", "rosa"));
  CHECK(game.registry->scores_of("reds").empty());
  CHECK(*game.registry->forget("reds") == 0);
  CHECK(game.shown("sum") == "1 reds 15, 2 blues 13");
  CHECK(game.shown("best") == "1 reds 10, 2 blues 8");
}

TEST_CASE("a source cannot be dropped while a board of groups is made from it") {
  Week game;
  game.groups("sum");
  CHECK(game.registry->drop("week").refusal().text() ==
        "invalid: board of groups \"sum\" is made from board \"week\": drop that one first");
  CHECK(*game.registry->drop("sum"));
  CHECK(*game.registry->drop("week"));
}

TEST_CASE("seasons are the source's, with archives of its own") {
  Week game(Fields{{"reset", "0 * * * *"}, {"archive", 1.0}});
  game.fill();
  const Board& sum = game.groups("sum", {{"archive", 2.0}});
  CHECK(sum.season().number == 1);
  CHECK(sum.resets_at() == game.registry->get(game.week)->resets_at());
  *game.now += 3600 * kSecond;
  CHECK(game.shown("sum") == "");
  CHECK(sum.seasons() == std::vector<std::uint64_t>{2, 1});
  CHECK(table(*sum.archived(1)) == "1 reds 15, 2 blues 12");
  CHECK(sum.archived(1)->season().ended ==
        game.registry->get(game.week)->archived(1)->season().ended);
  CHECK(sum.season().started == game.registry->get(game.week)->season().started);
  game.submit("ada", 7);
  REQUIRE(game.registry->get(game.week)->reset());
  CHECK(sum.seasons() == std::vector<std::uint64_t>{3, 2, 1});
  CHECK(table(*sum.archived(2)) == "1 reds 7");
  game.submit("dan", 3);
  REQUIRE(game.registry->get(game.week)->reset());
  CHECK(sum.seasons() == std::vector<std::uint64_t>{4, 3, 2});
  CHECK(table(*sum.archived(3)) == "1 blues 3");
  REQUIRE(game.registry->forget("ada"));
  CHECK(table(*sum.archived(2)) == "1 reds 7");
}

TEST_CASE("a change of an attribute after a season's end does not change how it ended") {
  Week game(Fields{{"reset", "0 * * * *"}});
  game.fill();
  const Board& sum = game.groups("sum");
  game.groups("two", {{"best", 2.0}});
  *game.now += 3600 * kSecond;
  game.set("eve", "reds");
  CHECK(game.shown("sum") == "");
  CHECK(table(*sum.archived(1)) == "1 reds 15, 2 blues 12");
  CHECK(table(*game.board("two").archived(1)) == "1 reds 15, 2 blues 12");
}

TEST_CASE("a season's end is told of the source first, then of its groups") {
  Week game(Fields{{"reset", "0 * * * *"}});
  game.fill();
  game.groups("a sum");
  game.groups("z sum", {{"best", 2.0}});
  std::vector<std::string> told;
  REQUIRE(game.registry->season_ends().listen(
      "rewards", nullptr, [&](const EndedSeason& ended, std::string&) {
        told.push_back(fmt::format("{} {} of {}", ended.board, ended.season.number, ended.size));
        return Hearing::returned;
      }));
  *game.now += 3600 * kSecond;
  for (int i = 0; i < 3; ++i) game.registry->tick();
  CHECK(told == std::vector<std::string>{"week 1 of 5", "a sum 1 of 2", "z sum 1 of 2"});
}

TEST_CASE("segments of the source stay as they are when groups need an order") {
  Week game;
  game.fill();
  game.groups("two", {{"best", 2.0}});
  CHECK(game.shown("two") == "1 reds 15, 2 blues 12");
  Board& week = *game.registry->get(game.week);
  CHECK(week.segment("clan", "reds").refusal().code() == Code::unknown);
  game.open("week", {{"segments", "clan"}});
  CHECK(table(**week.segment("clan", "reds")) == "1 ada 10, 2 bob 5");
  game.open("week", {{"segments", false}});
  CHECK(week.segments("clan").refusal().code() == Code::unknown);
  game.submit("bob", 20);
  CHECK(game.shown("two") == "1 reds 30, 2 blues 12");
  REQUIRE(game.registry->drop("two"));
  CHECK(week.orders_by_attribute() == nullptr);
  CHECK(week.segment("clan", "reds").refusal().text() == "unknown: board \"week\" has no segments");
}

TEST_CASE("a watch hears of groups, by writes, attributes, resets and the clock") {
  Week game(Fields{{"reset", "0 * * * *"}});
  game.fill();
  game.groups("sum");
  std::vector<std::string> events;
  const auto hear = [&](const WatchEvent& event) {
    std::string text;
    for (const WindowEntry& entry : event.top->entries) {
      text += fmt::format("{} {};", entry.player, entry.score);
      CHECK_FALSE(entry.name);
    }
    events.push_back(text);
  };
  REQUIRE(game.registry->profiles().save(
      {.id = "reds", .name = "A player", .email = {}, .attributes = {}}, *game.now));
  REQUIRE(game.registry->watch(*game.registry->find("sum"), 10, hear));
  game.submit("cleo", 50);
  game.registry->tick();
  game.set("cleo", "reds");
  game.registry->tick();
  *game.now += 3600 * kSecond;
  game.registry->tick();
  game.registry->tick();
  CHECK(events == std::vector<std::string>{"blues 54;reds 15;", "reds 65;blues 4;", ""});
}

TEST_CASE("totals leave out who would bring one group too many") {
  Players players(HashSecret::fixed(1));
  GroupTotals totals(players, 2);
  const auto add = [&](std::string_view player, std::string_view group) {
    return totals.add({player, players.find(player)}, group, 1, 1);
  };
  CHECK(add("a", "reds") != GroupTotals::kNoGroup);
  CHECK(add("b", "blues") != GroupTotals::kNoGroup);
  CHECK_FALSE(totals.was_full());
  CHECK(add("c", "greens") == GroupTotals::kNoGroup);
  CHECK(totals.was_full());
  const GroupTotals::GroupNumber blues = totals.erase(players.find("b"));
  CHECK(totals.members(blues) == 0);
  totals.settle(blues);
  const auto [before, after] = totals.move(players.find("c"), "greens");
  CHECK(before == GroupTotals::kNoGroup);
  CHECK(totals.value(after) == "greens");
  CHECK(totals.sum(after) == 1);
}

}  // namespace laurel
