// Requirements of the designs behind the engines that no test of a single engine covers, tested
// through the registry and its boards.
#include <algorithm>
#include <memory>

#include <doctest/doctest.h>

#include "board/fixture.h"

namespace laurel {

namespace {

// Fills the board; each player has one point less than the one before, and p0 is first.
void fill(Board& board, int players, const std::string* data = nullptr) {
  for (int i = 0; i < players; ++i) {
    const std::string player = fmt::format("p{}", i);
    Submission submission = result(player, players - i);
    if (data != nullptr) submission.data = *data;
    REQUIRE(board.submit(WriteMode::submit, submission));
  }
}

// What the engines of the registry read during ask().
template <typename QueuedCall>
EngineReads reads_of(const Fixture& game, QueuedCall ask) {
  const EngineReads before = game.registry->stats().reads;
  ask();
  const EngineReads after = game.registry->stats().reads;
  return {.entries = after.entries - before.entries,
          .objects = after.objects - before.objects,
          .loads = after.loads - before.loads,
          .rounds = after.rounds - before.rounds};
}

// A rule that adds up results of several games, each with a weight. The data of a result is its
// game.
class WeighingRules final : public Rules {
 public:
  RuleId open(std::string_view) override { return 0; }
  bool wants_held(RuleId) const override { return true; }
  Result<Verdict> judge(RuleId, const RuleCase& the_case, RuleFailure) override {
    const double weight = *the_case.data == "chess" ? 10 : 1;
    const double held = the_case.held ? the_case.held->score : 0;
    return Verdict{.score = held + weight * the_case.score, .data = std::nullopt};
  }
};

std::vector<std::string> boards_of(const Fixture& game, std::string_view player) {
  std::vector<std::string> names;
  for (const Registry::ScoreOf& score : game.registry->scores_of(player)) {
    names.push_back(fmt::format("{} {} {}", score.board, score.rank, score.score));
  }
  return names;
}

}  // namespace

TEST_CASE("S0-9: a rank reads the same number of keys or objects with and without data") {
  const std::string kilobyte(1000, 'x');
  for (const std::string_view engine : {"padded", "paged"}) {
    CAPTURE(engine);
    Fixture game;
    Board& bare = game.board("bare", {{"engine", engine}});
    Board& laden = game.board("laden", {{"engine", engine}});
    fill(bare, 3000);
    fill(laden, 3000, &kilobyte);
    CHECK(laden.get("p1234")->data == kilobyte);
    const auto reads_on = [&](const Board& board) {
      return reads_of(game, [&] { CHECK(board.rank("p1234", {})->rank == 1235); });
    };
    CHECK(reads_on(laden).entries == reads_on(bare).entries);
    CHECK(reads_on(laden).objects == reads_on(bare).objects);
    CHECK(reads_on(bare).entries + reads_on(bare).objects > 0);
  }
}

TEST_CASE("S0-13: counting keys costs one read per player above, trees do not") {
  Fixture game;
  Board& padded = game.board("padded", {{"engine", "padded"}});
  Board& paged = game.board("paged", {{"engine", "paged"}});
  Board& ranked = game.board("ranked");
  constexpr int kPlayers = 3000;
  for (Board* board : {&padded, &paged, &ranked}) fill(*board, kPlayers);
  const std::uint64_t layers = paged.layout()->pages.layers;
  for (const std::uint64_t above : {0, 1, 10, 999, 2999}) {
    CAPTURE(above);
    const std::string player = fmt::format("p{}", above);
    const auto rank_on = [&](const Board& board) {
      return reads_of(game, [&] { CHECK(board.rank(player, {})->rank == above + 1); });
    };
    CHECK(rank_on(padded).entries == above);
    CHECK(rank_on(paged).objects == layers + 1);
    CHECK(rank_on(paged).entries == 0);
    CHECK(rank_on(ranked).entries == 0);
  }
}

TEST_CASE("S1-1: each picture joins once, and a picture that has not joined cannot be counted") {
  Fixture game;
  Board& views = game.board("images", {{"engine", "sharded"},
                                       {"shards", 3.0},
                                       {"keep", "sum"},
                                       {"decimals", 0.0},
                                       {"join", "required"}});
  CHECK(*views.join(result("images/1.jpg", 0), true));
  CHECK_FALSE(*views.join(result("images/1.jpg", 0), true));
  CHECK_FALSE(views.get("images/2.jpg"));
  CHECK(verdict(views.submit(WriteMode::add, result("images/2.jpg", 1))) == "not_joined");
  CHECK(verdict(views.submit(WriteMode::submit, result("images/2.jpg", 1))) == "not_joined");
  CHECK_FALSE(views.get("images/2.jpg"));
  CHECK(views.size() == 1);
  CHECK(*views.join(result("images/2.jpg", 0), true));
  for (const std::string_view seen : {"images/2.jpg", "images/1.jpg", "images/2.jpg"}) {
    CHECK(views.submit(WriteMode::add, result(seen, 1)));
  }
  CHECK(table(views) == "1 images/2.jpg 2, 2 images/1.jpg 1");
}

TEST_CASE("S1-6: more shards make a top cost more reads, but far fewer than a plain merge") {
  constexpr std::size_t kTop = 100;
  std::uint64_t fewer_shards = 0;
  for (const double shards : {1.0, 2.0, 4.0, 16.0, 64.0}) {
    CAPTURE(shards);
    Fixture game;
    Board& board = game.board("b", {{"engine", "sharded"}, {"shards", shards}});
    fill(board, 10'000);
    Entries top;
    const std::uint64_t reads = reads_of(game, [&] { board.read(0, kTop, top); }).entries;
    REQUIRE(top.size() == kTop);
    for (std::size_t i = 0; i < kTop; ++i) CHECK(top[i].player == fmt::format("p{}", i));
    if (shards == 1) CHECK(reads == kTop);
    CHECK(reads > fewer_shards);
    CHECK(reads <= kTop * 3);
    fewer_shards = reads;
  }
}

TEST_CASE("S3-AP4: attempts keep the best, and boards with the same name prefix do not mix") {
  for (const std::string_view engine : {"padded", "ranked", "paged"}) {
    CAPTURE(engine);
    Fixture game;
    Board& season = game.board("season_3", {{"engine", engine}});
    Board& other = game.board("season_30", {{"engine", engine}});
    play(game, season, {{"p_alice", 8420}, {"p_alice", 8000}});
    CHECK(season.score("p_alice") == 8420);
    play(game, season, {{"p_alice", 8500}});
    CHECK(season.score("p_alice") == 8500);
    CHECK_FALSE(other.score("p_alice"));
    play(game, other, {{"p_alice", 1}, {"p_bob", 2}});
    CHECK(table(season) == "1 p_alice 8500");
    CHECK(table(other) == "1 p_bob 2, 2 p_alice 1");
  }
}

TEST_CASE("S3-AP5: scores_of gives all boards of a player, with rank and score") {
  Fixture game;
  for (const std::string_view name : {"season_3", "daily_2020-01-20", "global", "other"}) {
    play(game, game.board(name, {{"engine", "padded"}}), {{"p_bob", 9850}});
  }
  play(game, game.board("season_3"), {{"p_alice", 8420}});
  play(game, game.board("daily_2020-01-20"), {{"p_alice", 9900}});
  play(game, game.board("global"), {{"p_alice", 145200}});
  CHECK(boards_of(game, "p_alice") ==
        std::vector<std::string>{"daily_2020-01-20 1 9900", "global 1 145200", "season_3 2 8420"});
  CHECK(boards_of(game, "p_carol").empty());
}

TEST_CASE("S3-AP9: a board returns its spec, and when it opens and closes") {
  Fixture game;
  const Board& board = game.board(
      "season_3",
      {{"engine", "padded"}, {"opens", 900'000.0}, {"closes", 2'000'000.0}, {"meta", "Season 3"}});
  CHECK(board.spec().engine == EngineKind::padded);
  CHECK(board.spec().opens == 900'000 * kSecond);
  CHECK(board.spec().closes == 2'000'000 * kSecond);
  CHECK(board.spec().meta == "Season 3");
  CHECK(board.created() == Fixture::kStart);
  CHECK(board.size() == 0);  // the description of a board is not an entry
}

TEST_CASE(
    "S3-25: each period has a board of its own, and old periods and dropped boards are gone") {
  Fixture game;
  *game.now = 18281 * kDay;
  const BoardHandle daily = game.open("daily", {{"reset", "0 0 * * *"}, {"archive", 1.0}});
  const auto today = [&]() -> Board& { return *game.registry->get(daily); };
  play(game, game.board("season_3"), {{"p_alice", 8420}});
  play(game, today(), {{"p_alice", 5}});
  CHECK(boards_of(game, "p_alice") == std::vector<std::string>{"daily 1 5", "season_3 1 8420"});

  *game.now = 18282 * kDay;
  play(game, today(), {{"p_bob", 7}});
  CHECK(table(today()) == "1 p_bob 7");
  CHECK(table(*today().archived(1)) == "1 p_alice 5");
  CHECK(boards_of(game, "p_alice") == std::vector<std::string>{"season_3 1 8420"});

  *game.now = 18283 * kDay;  // the first day is older than the archive
  CHECK(today().archived(1) == nullptr);
  CHECK(table(*today().archived(2)) == "1 p_bob 7");
  CHECK(today().size() == 0);

  CHECK(*game.registry->drop("season_3"));
  CHECK_FALSE(game.registry->find("season_3"));
  CHECK(boards_of(game, "p_alice").empty());
}

TEST_CASE("S3-27: the percentile among many players takes few reads") {
  Fixture game;
  constexpr int kPlayers = 20'000;
  Board& paged = game.board("paged", {{"engine", "paged"}});
  Board& ranked = game.board("ranked");
  fill(paged, kPlayers);
  fill(ranked, kPlayers);
  const std::uint64_t layers = paged.layout()->pages.layers;
  for (const int above : {0, 1, 10'000, kPlayers - 1}) {
    const std::string player = fmt::format("p{}", above);
    const double worse = 100.0 * (kPlayers - 1 - above) / kPlayers;
    CHECK(ranked.percentile(player) == worse);
    const EngineReads reads = reads_of(game, [&] { CHECK(paged.percentile(player) == worse); });
    CHECK(reads.objects <= 2 * (layers + 1));
    CHECK(reads.entries == 0);
  }
}

TEST_CASE("S3-29: a board across games holds the weighted sums of their results") {
  Fixture game(std::make_unique<WeighingRules>());
  game.open("tetris", {{"keep", "sum"}});
  game.open("chess", {{"keep", "sum"}});
  game.open("all games", {{"rule", "weighing"}});
  const auto submit = [&](std::string_view to, std::string_view player, double score) {
    const std::vector<std::string_view> boards = {to, "all games"};
    std::vector<std::optional<double>> held;
    Submission submission = result(player, score);
    submission.data = to;
    CHECK_FALSE(game.registry->submit(boards, submission, held));
  };
  submit("tetris", "alice", 500);
  submit("tetris", "bob", 420);
  submit("chess", "bob", 12);
  submit("tetris", "alice", 30);
  submit("chess", "alice", 1);
  CHECK(table(game.board("tetris")) == "1 alice 530, 2 bob 420");
  CHECK(table(game.board("chess")) == "1 bob 12, 2 alice 1");
  // The sums are equal, and alice's is later.
  CHECK(table(game.board("all games")) == "1 bob 540, 1 alice 540");
}

}  // namespace laurel
