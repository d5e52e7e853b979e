#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/capped/capped_engine.h"
#include "engine/engine_factory.h"
#include "engine_fixture.h"

namespace laurel {

namespace {

using Ids = std::vector<std::string>;

EngineSpec spec_of(std::size_t cap, std::size_t reserve, Ties ties = Ties::earliest) {
  return {.engine = EngineKind::capped, .ties = ties, .cap = cap, .reserve = reserve};
}

struct Game {
  explicit Game(const EngineSpec& spec = spec_of(10, 10)) : board(spec, ground.context(), 1) {}

  // Returns true if the player is shown with that score afterwards.
  bool put(std::string_view id, double score, std::optional<std::string_view> data = std::nullopt) {
    board.put(ground.player(id), {.score = key(score), .at = ++now, .data = data});
    board.check();
    return shown(id) == score;
  }
  bool merge(std::string_view id, double score, Time at,
             std::optional<std::string_view> data = std::nullopt) {
    return board.merge(ground.player(id), {.score = key(score), .at = at, .data = data});
  }
  bool erase(std::string_view id) { return board.erase(ground.player(id)); }
  void merge_all_of(const Game& other) {
    Arena arena;
    for (const std::string& id : other.held_ids) {
      if (const auto row = other.board.held(other.ground.player(id), arena)) {
        board.merge(ground.player(id), *row);
      }
    }
  }

  std::optional<double> shown(std::string_view id) const {
    Arena arena;
    const std::optional<EngineRow> row = board.find(ground.player(id), arena);
    if (!row) return std::nullopt;
    return form.score(row->score);
  }
  EngineRow held(std::string_view id, Arena& arena) const {
    return board.held(ground.player(id), arena).value();
  }
  std::optional<double> lowest() const {
    const std::optional<ScoreKey> lowest = board.lowest();
    if (!lowest) return std::nullopt;
    return form.score(*lowest);
  }
  ScoreKey key(double score) const { return form.key(score).value(); }

  Ground ground;
  ScoreForm form{Order::desc, std::nullopt};
  CappedEngine board;
  Time now = 0;
  std::vector<std::string> held_ids;  // the players whose rows merge_all_of passes to another set
};

// The set of the source design: scores 99 to 90.
struct Falcon : Game {
  explicit Falcon(const EngineSpec& spec = spec_of(10, 10), double down_to = 90) : Game(spec) {
    const Ids names = {"vader",     "yoda",    "boba",  "luke",  "leia",
                       "palpatine", "obi-wan", "jabba", "c-3po", "chewbacca"};
    double score = 99;
    for (const std::string& name : names) {
      if (score >= down_to) add(name, score);
      score -= 1;
    }
  }
  void add(const std::string& name, double score) {
    put(name, score);
    held_ids.push_back(name);
  }
};

}  // namespace

TEST_CASE("S4-1: only a better score enters a full set") {
  Falcon game;
  CHECK(game.lowest() == 90);
  CHECK(!game.put("greedo", 90));
  CHECK(game.shown("chewbacca") == 90);
  CHECK(game.put("lando", 91));
  CHECK(!game.shown("chewbacca"));
  CHECK(game.board.size() == 10);
}

TEST_CASE("S4-1: the ties decide which of several equal scores are in the set") {
  Game latest(spec_of(2, 0, Ties::latest));
  CHECK(latest.put("a", 7));
  CHECK(latest.put("b", 7));
  CHECK(latest.put("c", 7));
  CHECK(ids(latest.board) == Ids{"c", "b"});

  Game by_id(spec_of(2, 0, Ties::player));
  CHECK(by_id.put("b", 7));
  CHECK(by_id.put("c", 7));
  CHECK(by_id.put("a", 7));
  CHECK(!by_id.put("d", 7));
  CHECK(ids(by_id.board) == Ids{"a", "b"});
}

TEST_CASE("S4-2: a player that enters a full set removes the last one") {
  Falcon game;
  CHECK(game.put("han", 100));
  CHECK(ids(game.board) == Ids{"han", "vader", "yoda", "boba", "luke", "leia", "palpatine",
                               "obi-wan", "jabba", "c-3po"});
  CHECK(game.lowest() == 91);
  CHECK(!game.shown("chewbacca"));
}

TEST_CASE("S4-3: a set that is not full accepts anything") {
  Falcon game(spec_of(10, 10), 91);
  CHECK(game.board.size() == 9);
  CHECK(!game.lowest());
  CHECK(game.put("jar-jar", 5));
  CHECK(game.lowest() == 5);
}

TEST_CASE("S4-4: an improving player removes no other player") {
  Falcon game;
  CHECK(game.put("yoda", 101));
  CHECK(ids(game.board) == Ids{"yoda", "vader", "boba", "luke", "leia", "palpatine", "obi-wan",
                               "jabba", "c-3po", "chewbacca"});
  CHECK(game.lowest() == 90);
}

TEST_CASE("S4-5: sets that were written independently merge into one") {
  for (const std::size_t reserve : {0U, 1U, 10U}) {
    CAPTURE(reserve);
    Falcon one(spec_of(10, reserve));
    Falcon other(spec_of(10, reserve));
    one.add("han", 100);
    other.add("lando", 95);
    one.merge_all_of(other);
    CHECK(ids(one.board) == Ids{"han", "vader", "yoda", "boba", "luke", "leia", "lando",
                                "palpatine", "obi-wan", "jabba"});
    CHECK(one.lowest() == 92);
    other.merge_all_of(one);
    require_same_page(other.board, one.board, 0, 10);
  }
}

TEST_CASE("a merge takes the better score, then the preferred moment, then the greater data") {
  Game game;
  CHECK(game.merge("a", 5, 100));
  CHECK(!game.merge("a", 5, 100));
  CHECK(!game.merge("a", 4, 1, "z"));
  CHECK(!game.merge("a", 5, 101, "z"));
  CHECK(game.merge("a", 5, 99));
  CHECK(game.merge("a", 5, 99, ""));
  CHECK(game.merge("a", 5, 99, "b"));
  CHECK(!game.merge("a", 5, 99, "a"));
  CHECK(!game.merge("a", 5, 99));
  CHECK(game.merge("a", 5, 99, "\xff"));
  CHECK(game.merge("a", 6, 500));
  Arena arena;
  require_same(game.held("a", arena), {"a", game.key(6), 500, std::nullopt});

  Game latest(spec_of(10, 10, Ties::latest));
  CHECK(latest.merge("a", 5, 100));
  CHECK(latest.merge("a", 5, 101));
  CHECK(!latest.merge("a", 5, 100));
}

TEST_CASE("merge returns whether the player's held row has changed") {
  Game game(spec_of(1, 1));
  CHECK(game.merge("shown", 9, 1));
  CHECK(game.merge("reserve", 8, 1));
  CHECK(!game.shown("reserve"));
  CHECK(!game.merge("hopeless", 7, 1));
  CHECK(!game.merge("behind equals", 8, 2));
  CHECK(game.ground.players.size() == 2);
}

TEST_CASE("S4-7: after a removal the reserve refills the set") {
  Falcon game(spec_of(10, 2));
  game.put("lando", 89);
  game.put("greedo", 88);
  game.put("jar-jar", 87);
  CHECK(game.erase("vader"));
  CHECK(game.board.size() == 10);
  CHECK(game.lowest() == 89);
  CHECK(game.erase("greedo"));
  CHECK(game.erase("yoda"));
  CHECK(game.board.size() == 9);
  CHECK(!game.lowest());
  CHECK(!game.erase("jar-jar"));
}

TEST_CASE("S4-7: a removed player stays out when an older set without that player is merged") {
  Falcon old;
  Falcon game;
  game.add("lando", 89);
  CHECK(game.erase("vader"));
  std::erase(old.held_ids, "vader");  // a banned player's row is not passed on
  game.merge_all_of(old);
  CHECK(!game.shown("vader"));
  CHECK(game.board.size() == 10);
  CHECK(game.lowest() == 89);
}

TEST_CASE("reads see only shown rows, while held() and pack() also see the reserve") {
  Game game(spec_of(2, 2));
  game.put("a", 9);
  game.put("b", 7, "data of b");
  game.put("c", 7, "data of c");
  game.put("d", 5);
  const Player c = game.ground.player("c");
  CHECK(game.board.size() == 2);
  CHECK(!game.shown("c"));
  CHECK(!game.board.position(c));
  CHECK(!game.board.rank(c, Ranking::competition));
  CHECK(game.board.rank(game.ground.player("b"), Ranking::modified) == 2);
  CHECK(game.board.count_not_worse(game.key(0)) == 2);
  CHECK(game.board.distinct_better(game.key(0)) == 2);
  CHECK(game.board.rank_of_newcomer(game.key(7), Ranking::modified) == 3);
  CHECK(ids(game.board, 1, 9) == Ids{"b"});
  CHECK(ids(game.board, 2, 9).empty());

  Arena arena;
  require_same(game.held("c", arena), {"c", game.key(7), 3, "data of c"});
  const std::string packed = game.board.pack(c).value();
  CHECK(game.erase("c"));
  game.board.unpack(game.ground.player("c"), packed);
  require_same(game.held("c", arena), {"c", game.key(7), 3, "data of c"});
}

TEST_CASE("new sizes of a capped engine take effect at once") {
  Falcon game(spec_of(4, 6));
  CHECK(game.board.size() == 4);
  game.board.configure(spec_of(8, 0));
  CHECK(game.board.size() == 8);
  CHECK(game.lowest() == 92);
  CHECK(game.ground.players.size() == 8);
  game.board.configure(spec_of(2, 1));
  CHECK(ids(game.board) == Ids{"vader", "yoda"});
  CHECK(game.erase("vader"));
  CHECK(ids(game.board) == Ids{"yoda", "boba"});
  game.board.configure(spec_of(10, 10));
  CHECK(ids(game.board) == Ids{"yoda", "boba"});
}

TEST_CASE("memory depends on the held rows, not on the number of players that tried") {
  Game game(spec_of(10, 10));
  for (int i = 0; i < 20; ++i) game.put(fmt::format("p{}", i), i, "data");
  const std::size_t full = game.board.bytes();
  for (int i = 0; i < 100'000; ++i) {
    const double score = i % 2 == 0 ? -i : i;
    game.board.put(game.ground.player(fmt::format("q{}", i)),
                   {.score = game.key(score), .at = ++game.now, .data = "data"});
  }
  game.board.check();
  CHECK(game.ground.players.size() == 20);
  CHECK(game.board.bytes() <= full + full / 4);
  CHECK(game.lowest() == 99'981);
}

TEST_CASE("a dismantled capped engine holds no player") {
  Falcon game;
  CHECK(game.board.dismantle(4));
  CHECK(!game.board.dismantle(100));
  CHECK(game.ground.players.size() == 0);
}

TEST_CASE("the factory makes a capped engine from a capped spec") {
  Ground ground;
  const std::unique_ptr<ScoreEngine> engine = make_score_engine(spec_of(1, 0), ground.context());
  engine->put(ground.player("a"), {.score = 1});
  engine->put(ground.player("b"), {.score = 2});
  CHECK(ids(*engine) == Ids{"a"});
}

}  // namespace laurel
