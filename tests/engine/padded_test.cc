#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/engine_factory.h"
#include "engine/padded/padded_engine.h"
#include "engine_fixture.h"

namespace laurel {

namespace {

using Ids = std::vector<std::string>;

const EngineSpec kSpec{
    .engine = EngineKind::padded, .order = Order::desc, .ties = Ties::player_desc, .decimals = 0};

EngineSpec with_ties(Ties ties, Order order = Order::desc) {
  EngineSpec spec = kSpec;
  spec.ties = ties;
  spec.order = order;
  return spec;
}

struct Game {
  explicit Game(const EngineSpec& with = kSpec) : spec(with), board(spec, ground.context()) {}

  void put(std::string_view id, double score, Time at = 0,
           std::optional<std::string_view> data = std::nullopt) {
    board.put(ground.player(id), {.score = key(score), .at = at, .data = data});
  }
  ScoreKey key(double score) const { return form.key(score).value(); }
  Rank rank(std::string_view id, Ranking ranking = Ranking::competition) const {
    return board.rank(ground.player(id), ranking).value();
  }
  // The number of keys that the call reads.
  template <typename Call>
  std::uint64_t entries_read(Call call) const {
    const std::uint64_t before = ground.reads.entries;
    call();
    return ground.reads.entries - before;
  }

  Ground ground;
  EngineSpec spec;
  ScoreForm form{spec.order, spec.decimals};
  PaddedEngine board;
};

struct Season3 : Game {
  Season3() {
    put("p_bob", 9850);
    put("p_alice", 8420);
    put("p_carol", 5100);
  }
};

}  // namespace

TEST_CASE("S3-AP10: a rank is one plus the number of players above") {
  Season3 game;
  CHECK(game.rank("p_bob") == 1);
  CHECK(game.rank("p_alice") == 2);
  CHECK(game.rank("p_carol") == 3);
  game.put("p_dave", 8420);
  CHECK(game.rank("p_alice") == 2);
  CHECK(game.rank("p_dave") == 2);
  CHECK(game.rank("p_carol") == 4);
  CHECK(!game.board.rank(game.ground.player("p_erin"), Ranking::competition));
}

TEST_CASE("key() returns the key that is in the store") {
  Season3 game;
  const std::string key = game.board.key(game.ground.player("p_alice")).value();
  CHECK(key == "SCORE#0000008420#p_alice");
  CHECK(Space(*game.ground.store, game.board.space()).get(key));
  CHECK(!game.board.key(game.ground.player("p_erin")));
}

TEST_CASE("S3-AP3: the top two take two reads, and a page has at most n rows") {
  Season3 game;
  CHECK(game.entries_read([&] { CHECK(ids(game.board, 0, 2) == Ids{"p_bob", "p_alice"}); }) == 2);
  CHECK(ids(game.board, 0, 9) == Ids{"p_bob", "p_alice", "p_carol"});
  CHECK(ids(game.board, 2, 9) == Ids{"p_carol"});
  CHECK(ids(game.board, 3, 9).empty());
  CHECK(game.entries_read([&] { CHECK(ids(game.board, 0, 0).empty()); }) == 0);
}

TEST_CASE("S0-13: a rank reads one key for each row above") {
  Game game(with_ties(Ties::earliest));
  for (int i = 0; i < 1000; ++i) game.put(fmt::format("p{}", i), 1000 - i, i);
  for (const int above : {0, 1, 10, 500}) {
    const std::string id = fmt::format("p{}", above);
    const auto expected = static_cast<std::uint64_t>(above);
    for (const Ranking ranking : {Ranking::competition, Ranking::dense, Ranking::ordinal}) {
      CHECK(game.entries_read([&] { CHECK(game.rank(id, ranking) == expected + 1); }) == expected);
    }
  }
}

TEST_CASE("a page within many equal scores reads little more than the rows before its end") {
  for (const Order order : {Order::desc, Order::asc}) {
    for (const Ties ties : {Ties::earliest, Ties::player, Ties::player_desc}) {
      CAPTURE(static_cast<int>(order));
      CAPTURE(static_cast<int>(ties));
      Game game(with_ties(ties, order));
      for (int i = 0; i < 5000; ++i) game.put(fmt::format("p{:04}", i), 7, 3);
      const auto first = [&](int i) {
        return Ids{fmt::format("p{:04}", ties == Ties::player_desc ? 4999 - i : i)};
      };
      CHECK(game.entries_read([&] { CHECK(ids(game.board, 0, 1) == first(0)); }) <= 3);
      CHECK(game.entries_read([&] { CHECK(ids(game.board, 100, 1) == first(100)); }) <= 203);
      CHECK(game.entries_read([&] { ids(game.board, 0, 10); }) <= 12);
    }
  }
}

TEST_CASE("S3-11: ids that sort above \"zzz\" are not counted as better") {
  for (const Ties ties : {Ties::earliest, Ties::player, Ties::player_desc}) {
    Game game(with_ties(ties));
    for (const std::string_view id : {"zzzz", "~x", "émile", "{a", "p1"}) game.put(id, 100);
    for (const std::string_view id : {"zzzz", "~x", "émile", "{a", "p1"}) CHECK(game.rank(id) == 1);
    CHECK(game.board.count_better(game.key(100)) == 0);
    CHECK(game.board.count_not_worse(game.key(100)) == 5);
    CHECK(game.board.count_better(game.key(99)) == 5);
  }
}

TEST_CASE("S3-17: rows contain scores and players, not keys") {
  for (const Ties ties : {Ties::earliest, Ties::player_desc}) {
    Game game(with_ties(ties));
    game.put("p_alice", 8420, 77, "data");
    Arena arena;
    std::vector<EngineRow> rows;
    game.board.read(0, 1, arena, rows);
    const EngineRow expected{"p_alice", game.key(8420), 77, "data"};
    require_same(rows.at(0), expected);
    require_same(game.board.find(game.ground.player("p_alice"), arena).value(), expected);
  }
}

TEST_CASE("rows stay valid when the store is written") {
  Season3 game;
  game.put("p_alice", 8420, 5, "first");
  Arena arena;
  std::vector<EngineRow> rows;
  game.board.read(1, 1, arena, rows);
  const EngineRow found = game.board.find(game.ground.player("p_alice"), arena).value();
  game.put("p_alice", 9999, 6, "second");
  game.board.erase(game.ground.player("p_alice"));
  require_same(rows.at(0), {"p_alice", game.key(8420), 5, "first"});
  require_same(found, {"p_alice", game.key(8420), 5, "first"});
}

TEST_CASE("S3-19: by default equal scores are ordered by id, the larger first if high scores win") {
  Game high(with_ties(Ties::player_desc, Order::desc));
  Game low(with_ties(Ties::player, Order::asc));
  for (const std::string_view id : {"b", "a", "c"}) {
    high.put(id, 7);
    low.put(id, 7);
  }
  CHECK(ids(high.board) == Ids{"c", "b", "a"});
  CHECK(ids(low.board) == Ids{"a", "b", "c"});
}

TEST_CASE("S3-19: the tie rule is selectable") {
  const auto order_of = [](Ties ties) {
    Game game(with_ties(ties));
    game.put("b", 7, 1);
    game.put("d", 7, 2);
    game.put("a", 7, 3);
    game.put("c", 7, 3);
    game.put("first", 8, 9);
    game.put("last", 6, 0);
    return ids(game.board);
  };
  CHECK(order_of(Ties::earliest) == Ids{"first", "b", "d", "a", "c", "last"});
  CHECK(order_of(Ties::latest) == Ids{"first", "a", "c", "d", "b", "last"});
  CHECK(order_of(Ties::player) == Ids{"first", "a", "b", "c", "d", "last"});
  CHECK(order_of(Ties::player_desc) == Ids{"first", "d", "c", "b", "a", "last"});
}

TEST_CASE("S3-20, S3-21: no id collides with another id or with a key of the board") {
  Ground ground;
  PaddedEngine one(kSpec, ground.context());
  PaddedEngine other(kSpec, ground.context());
  const ScoreForm form(Order::desc, 0);
  const std::vector<std::string> names = {"a#b",
                                          "a",
                                          "b#c",
                                          "#",
                                          "##",
                                          "SCORE#0000000007#a",
                                          "PLAYER#a",
                                          "EMAIL#x",
                                          "SIZE",
                                          std::string("a\0", 2),
                                          std::string(255, 'x'),
                                          std::string(255, '#')};
  for (const std::string& name : names) {
    one.put(ground.player(name), {.score = form.key(7).value()});
  }
  other.put(ground.player("a"), {.score = form.key(9).value()});
  CHECK(one.size() == names.size());
  CHECK(other.size() == 1);
  one.check();
  for (const std::string& name : names) {
    CHECK(one.rank(ground.player(name), Ranking::competition) == 1);
    CHECK(one.erase(ground.player(name)));
    CHECK(!one.erase(ground.player(name)));
    one.check();
  }
  CHECK(ids(other) == Ids{"a"});
}

TEST_CASE("a padded engine's memory does not grow, and it holds no player") {
  Game game;
  const std::size_t before = game.board.bytes();
  for (int i = 0; i < 10'000; ++i) game.put(fmt::format("p{}", i), i);
  CHECK(game.board.bytes() == before);
  CHECK(game.ground.players.size() == 0);
  CHECK(game.board.size() == 10'000);
}

TEST_CASE("an engine opened on a space has the board that another engine left there") {
  Season3 game;
  const PaddedEngine reopened(game.spec, game.ground.context(), game.board.space());
  CHECK(reopened.size() == 3);
  CHECK(game.ground.last_space == game.board.space());
  require_same_answers(game.ground, reopened, game.board);
}

TEST_CASE("a dismantled padded board frees its rows in steps, and no other board's rows") {
  Season3 game;
  const std::size_t theirs = game.ground.store->size();
  PaddedEngine season_30(kSpec, game.ground.context());
  for (int i = 0; i < 100; ++i) {
    season_30.put(game.ground.player(fmt::format("p{}", i)), {.score = game.key(i)});
  }
  int steps = 1;
  while (season_30.dismantle(10)) ++steps;
  CHECK(steps >= 10);
  CHECK(game.ground.store->size() == theirs);
  game.board.check();
}

TEST_CASE("erase and unpack restore a packed player") {
  Season3 game;
  game.put("p_alice", 8420, 5, "data");
  const Player alice = game.ground.player("p_alice");
  const std::string packed = game.board.pack(alice).value();
  CHECK(game.board.erase(alice));
  CHECK(!game.board.pack(alice));
  CHECK(game.board.size() == 2);
  game.board.unpack(alice, packed);
  Arena arena;
  require_same(game.board.find(alice, arena).value(), {"p_alice", game.key(8420), 5, "data"});
  game.board.check();
}

TEST_CASE("the factory makes a padded engine from a padded spec") {
  Ground ground;
  const std::unique_ptr<ScoreEngine> engine = make_score_engine(kSpec, ground.context());
  const ScoreForm form(Order::desc, 0);
  CHECK(engine->fits(form.key(9'999'999'999).value()));
  CHECK(!engine->fits(form.key(10'000'000'000).value()));
}

TEST_CASE("a prepared rank reads a few hundred keys at any place, also after writes") {
  Game game;
  constexpr std::size_t kRows = 20'000;
  for (std::size_t i = 0; i < kRows; ++i) game.put(fmt::format("p{}", i), static_cast<double>(i));
  const auto last = [&] { CHECK(game.rank("p0") == kRows); };
  CHECK(game.entries_read(last) >= kRows - 1);

  std::size_t steps = 1;
  while (!game.board.prepare_ranks(Ranking::competition, 1000)) ++steps;
  CHECK(steps == kRows / 1000);
  CHECK(game.entries_read(last) <= 2 * KeyCounts::kBlockKeys);
  const auto page = [&] { CHECK(ids(game.board, kRows - 2, 5) == Ids{"p1", "p0"}); };
  CHECK(game.entries_read(page) <= 2 * KeyCounts::kBlockKeys);

  for (std::size_t i = 0; i < kRows; i += 2) game.put(fmt::format("p{}", i), 1e6);
  const auto middle = [&] { CHECK(game.rank("p1") == kRows); };
  CHECK(game.entries_read(middle) <= 2 * KeyCounts::kBlockKeys);
  CHECK(game.board.bytes() < 2 * kRows);
  game.board.check();
}

}  // namespace laurel
