#include <doctest/doctest.h>

#include "board/board_window.h"
#include "board/spec/spec_change.h"
#include "fixture.h"

namespace laurel {

TEST_CASE("a handle of a dropped board finds nothing, even after its slot is used again") {
  Fixture game;
  const BoardHandle old = game.open("a");
  CHECK(*game.registry->drop("a"));
  CHECK_FALSE(*game.registry->drop("a"));
  CHECK(game.registry->get(old) == nullptr);
  const BoardHandle fresh = game.open("b");
  CHECK(fresh.slot == old.slot);
  CHECK(game.registry->get(old) == nullptr);
  CHECK(game.registry->get(fresh) != nullptr);
  CHECK(game.registry->get({0, 0}) == nullptr);
  CHECK(game.registry->get({99, 1}) == nullptr);
}

TEST_CASE("a board created again has another epoch") {
  Fixture game;
  const std::uint64_t epoch = game.board("a").epoch();
  CHECK(*game.registry->drop("a"));
  CHECK(game.board("a").epoch() != epoch);
}

TEST_CASE("windows of another season have another epoch") {
  Fixture game;
  Board& board = game.board("a");
  const auto epoch = [&] { return top_window(board, {}, 1, {})->epoch; };
  const std::uint64_t first = epoch();
  REQUIRE(board.submit(WriteMode::submit, {"p", 1}));
  CHECK(epoch() == first);
  REQUIRE(board.reset());
  CHECK(epoch() != first);
}

TEST_CASE("names are sorted by bytes") {
  Fixture game;
  for (const std::string_view name : {"b", "a", "season_30", "season_3"}) game.open(name);
  CHECK(game.registry->names() == std::vector<std::string>{"a", "b", "season_3", "season_30"});
}

TEST_CASE("a name is 1 to 255 bytes without a zero byte") {
  Fixture game;
  for (const std::string& name : {std::string(), std::string(256, 'x'), std::string("a\0b", 3)}) {
    CHECK(verdict(game.registry->open(name, {})) == "invalid");
  }
  CHECK(game.registry->open(std::string(255, 'x'), {}));
}

TEST_CASE("opening again changes only the given fields") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "sum"}, {"meta", "one"}});
  play(game, board, {{"p", 5}, {"q", 5}});
  const BoardHandle again = game.open("b", {{"ranking", "ordinal"}, {"meta", "two"}});
  CHECK(game.registry->get(again) == &board);
  CHECK(board.spec().keep == Keep::sum);
  CHECK(board.spec().meta == "two");
  CHECK(table(board) == "1 p 5, 2 q 5");
}

TEST_CASE("fields of the stored order cannot change, and the refusal names both values") {
  Fixture game;
  game.open("b", {{"order", "asc"}});
  const auto text = [&](const Fields& fields) {
    const Result<BoardHandle> handle = game.registry->open("b", spec(fields));
    return handle ? "ok" : std::string(handle.refusal().text());
  };
  CHECK(text({{"order", "asc"}}) == "ok");
  CHECK(text({{"order", "desc"}}) ==
        "invalid: field 'order' is \"desc\" and was \"asc\": it describes the stored order and "
        "cannot change");
  CHECK(text({{"decimals", 2.0}}) ==
        "invalid: field 'decimals' is 2 and was none: it describes the stored order and cannot "
        "change");
}

TEST_CASE("one result goes to several boards, all or none, at one moment") {
  Fixture game;
  game.open("a", {{"keep", "sum"}});
  game.open("b");
  game.open("closed", {{"join", "required"}});
  std::vector<std::optional<double>> scores;
  const std::vector<std::string_view> two = {"a", "b"};
  CHECK_FALSE(game.registry->submit(two, result("p", 5), scores));
  CHECK_FALSE(game.registry->submit(two, result("p", 3), scores));
  CHECK(scores == std::vector<std::optional<double>>{5, 5, 8, 5});

  Board& a = game.board("a");
  CHECK(a.get("p")->at == game.board("b").get("p")->at + 1);
  const std::vector<std::string_view> three = {"a", "b", "closed"};
  const auto refused = game.registry->submit(three, result("p", 9), scores);
  REQUIRE(refused);
  CHECK(refused->board == "closed");
  CHECK(refused->refusal.code() == Code::not_joined);
  CHECK(table(a) == "1 p 8");

  const std::vector<std::string_view> missing = {"a", "nowhere"};
  CHECK(game.registry->submit(missing, result("p", 9), scores)->refusal.text() ==
        "unknown: no board is called \"nowhere\"");
  CHECK(table(a) == "1 p 8");
}

TEST_CASE("S0-3: each board ranks a player separately") {
  Fixture game;
  Board& a = game.board("EVENT#1");
  Board& b = game.board("EVENT#2");
  play(game, a, {{"u1", 82.3}, {"u2", 120}});
  play(game, b, {{"u1", 50}, {"u2", 10}});
  CHECK(a.rank("u1", {})->rank == 2);
  CHECK(b.rank("u1", {})->rank == 1);
}

TEST_CASE("players are known as long as something holds them") {
  Fixture game;
  Board& a = game.board("a");
  Board& b = game.board("b");
  play(game, a, {{"p", 1}, {"q", 1}});
  play(game, b, {{"p", 1}});
  CHECK(game.registry->stats().players == 2);
  CHECK(*a.remove("p"));
  CHECK(game.registry->stats().players == 2);
  CHECK(*game.registry->drop("b"));
  CHECK(game.registry->stats().players == 1);
  CHECK(*game.registry->drop("a"));
  CHECK(game.registry->stats().players == 0);
}

TEST_CASE("a closed registry has no boards and says that it is closed") {
  Fixture game;
  const BoardHandle handle = game.open("a");
  CHECK(game.registry->close());
  CHECK(game.registry->close());
  CHECK(game.registry->closed());
  CHECK(game.registry->get(handle) == nullptr);
  CHECK(game.registry->names().empty());
  game.registry->tick();
}

TEST_CASE("an unknown field is refused, and the nearest name is suggested") {
  SpecChange change;
  CHECK(change.set("oder", "asc").refusal().text() ==
        "invalid: no field is called 'oder'; did you mean 'order'?");
  CHECK(change.set("engine", "fancy").refusal().text() ==
        "invalid: field 'engine' is \"fancy\"; it takes \"capped\", \"ranked\", \"padded\", "
        "\"paged\", \"sharded\", \"rolling\", \"combined\" or \"groups\"");
}

TEST_CASE("a field of another engine is refused by name") {
  const auto refusal = [](const Fields& fields) {
    const Result<Spec> made = spec(fields).create();
    return made ? "ok" : std::string(made.refusal().text());
  };
  CHECK(refusal({{"cap", 10.0}}) ==
        "invalid: field 'cap' belongs to engine \"capped\"; this board's is \"ranked\"");
  CHECK(refusal({{"engine", "capped"}, {"cap", 10.0}}) == "ok");
  CHECK(refusal({{"engine", "sharded"}, {"digits", 8.0}}) ==
        "invalid: field 'digits' belongs to shards of engine \"padded\"; these are of \"ranked\"");
  CHECK(refusal({{"engine", "sharded"}, {"of", "padded"}, {"digits", 8.0}}) == "ok");
  CHECK(refusal({{"engine", "rolling"}, {"keep", "best"}}) ==
        "invalid: field 'keep' has no meaning with engine \"rolling\"");
  CHECK(refusal({{"engine", "rolling"}, {"reset", "0 0 * * *"}}) ==
        "invalid: field 'reset' has no meaning with engine \"rolling\"");
  CHECK(refusal({{"engine", "capped"}, {"keep", "sum"}}).starts_with("unsupported: "));
  CHECK(refusal({{"engine", "padded"}, {"decimals", false}}).starts_with("invalid: "));
}

TEST_CASE("days and a window may both be given if they agree") {
  SpecChange change = spec({{"engine", "rolling"}, {"days", 3.0}, {"window.buckets", 3.0}});
  CHECK(change.create()->window.buckets == 3);
  CHECK(change.set("window.buckets", 4.0).refusal().text() ==
        "invalid: field 'days' is short for 'window', and the two given are not the same");
}

TEST_CASE("a padded board orders ties by key by default") {
  const auto made = [](const Fields& fields) { return *spec(fields).create(); };
  CHECK(made({{"engine", "padded"}}).ties == Ties::player_desc);
  CHECK(made({{"engine", "padded"}, {"order", "asc"}}).ties == Ties::player);
  CHECK(made({{"engine", "padded"}, {"ties", "earliest"}}).ties == Ties::earliest);
  CHECK(made({{"engine", "padded"}}).decimals == 0);
  CHECK(made({{"engine", "sharded"}, {"of", "padded"}}).ties == Ties::player_desc);
}

TEST_CASE("S3-16: the stored order cannot change, and sizes can") {
  Fixture game;
  game.open("b", {{"engine", "padded"}, {"digits", 10.0}});
  const Result<BoardHandle> wider = game.registry->open("b", spec({{"digits", 12.0}}));
  CHECK(
      wider.refusal().text() ==
      "invalid: field 'digits' is 12 and was 10: it describes the stored order and cannot change");
  CHECK(game.registry->open("b", spec({{"digits", 10.0}})));
  game.open("c", {{"engine", "capped"}, {"cap", 3.0}});
  CHECK(game.board("c", {{"cap", 5.0}}).spec().cap == 5);
  CHECK(game.board("c").spec().reserve == 3);
}

TEST_CASE("a value that is not allowed is refused with the allowed ones") {
  const auto text = [](std::string_view field, const FieldValue& value) {
    SpecChange change;
    const Status taken = change.set(field, value);
    return taken ? "ok" : std::string(taken.refusal().message());
  };
  CHECK(text("order", "up") == "field 'order' is \"up\"; it takes \"desc\" or \"asc\"");
  CHECK(text("order", 1.0) == "field 'order' is 1; it takes \"desc\" or \"asc\"");
  CHECK(text("decimals", 1.5) ==
        "field 'decimals' is 1.5; it takes a whole number from 0 to 9, or false for Lua numbers as "
        "they are");
  CHECK(text("decimals", 10.0) != "ok");
  CHECK(text("decimals", -1.0) != "ok");
  CHECK(text("decimals", 9.0) == "ok");
  CHECK(text("rule", "../evil") != "ok");
  CHECK(text("rule", "season-3_b") == "ok");
  CHECK(text("meta", std::string(4097, 'x')) != "ok");
  CHECK(text("opens", 1e11) != "ok");
  CHECK(text("opens", -1e9) == "ok");
}

TEST_CASE("a board that closes before it opens is refused") {
  Fixture game;
  CHECK(verdict(game.registry->open("b", spec({{"opens", 20.0}, {"closes", 10.0}}))) == "invalid");
  game.open("b", {{"opens", 20.0}});
  CHECK(verdict(game.registry->open("b", spec({{"closes", 10.0}}))) == "invalid");
  CHECK(verdict(game.registry->open("b", spec({{"opens", false}, {"closes", 10.0}}))) == "ok");
}

}  // namespace laurel
