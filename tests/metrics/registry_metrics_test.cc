// What a registry says of itself.
#include <optional>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "board/fixture.h"
#include "folder.h"

using namespace laurel;

namespace {

// The value of the line that begins with this; nothing if there is none.
std::optional<double> value(const std::string& text, const std::string& series) {
  const std::size_t at = ("\n" + text).find("\n" + series + " ");
  if (at == std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + series.size()));
}

std::optional<double> value(const Fixture& game, const std::string& series) {
  return value(game.registry->metrics(), series);
}

std::string submissions(const char* board, const char* result) {
  return fmt::format("laurel_submissions_total{{board=\"{}\",result=\"{}\"}}", board, result);
}

std::string refusals(const char* reason) {
  return fmt::format("laurel_refusals_total{{reason=\"{}\"}}", reason);
}

}  // namespace

TEST_CASE("submissions are counted by board and by what became of them, refusals by reason") {
  Fixture game;
  Board& board = game.board("b");
  game.board("idle");
  const auto submit = [&](std::string_view player, double score) {
    (void)board.submit(WriteMode::submit, {.player = player, .score = score});
  };
  submit("ada", 5);
  submit("ada", 4);  // `keep` is best
  submit("bob", 9);
  submit("bob", std::numeric_limits<double>::infinity());
  submit("", 1);
  (void)board.submit(WriteMode::add, {.player = "ada", .score = 1});
  (void)board.set({.player = "ada", .score = 1});
  REQUIRE(board.ban("bob"));
  submit("bob", 10);
  (void)board.set({.player = "bob", .score = 1});

  const std::string text = game.registry->metrics();
  CHECK(value(text, submissions("b", "changed")) == 4);
  CHECK(value(text, submissions("b", "unchanged")) == 1);
  CHECK(value(text, submissions("b", "refused")) == 4);
  CHECK(value(text, submissions("idle", "changed")) == 0);
  CHECK(value(text, refusals("not_finite")) == 1);
  CHECK(value(text, refusals("bad_player")) == 1);
  CHECK(value(text, refusals("banned")) == 2);
  CHECK(value(text, refusals("full")) == 0);
  CHECK(value(text, refusals("invalid")) == std::nullopt);
  CHECK(value(text, "laurel_board_players{board=\"b\"}") == 1);
  CHECK(value(text, "laurel_board_season{board=\"b\"}") == 1);
  const RegistryStats stats = game.registry->stats();
  CHECK(stats.submitted.submissions == 9);
  CHECK(stats.submitted.changed == 4);
  CHECK(stats.submitted.refused == 4);
}

TEST_CASE("a result whose id is known is unchanged") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "sum"}});
  for (int i = 0; i < 3; ++i) {
    REQUIRE(board.submit(WriteMode::submit, {.player = "ada", .score = 5, .id = "match 1"}));
  }
  CHECK(value(game, submissions("b", "changed")) == 1);
  CHECK(value(game, submissions("b", "unchanged")) == 2);
}

TEST_CASE("one result to several boards counts on each, or on the board that refused it") {
  Fixture game;
  game.board("a");
  game.board("b");
  std::vector<std::optional<double>> held;
  const std::vector<std::string_view> both = {"a", "b"};
  REQUIRE(!game.registry->submit(both, {.player = "ada", .score = 1}, held));
  REQUIRE(game.registry->get(*game.registry->find("b"))->ban("bob"));
  REQUIRE(game.registry->submit(both, {.player = "bob", .score = 1}, held));
  CHECK(value(game, submissions("a", "changed")) == 1);
  CHECK(value(game, submissions("a", "refused")) == 0);
  CHECK(value(game, submissions("b", "changed")) == 1);
  CHECK(value(game, submissions("b", "refused")) == 1);
}

TEST_CASE("a batch counts each of its results") {
  for (const char* engine : {"ranked", "sharded"}) {
    CAPTURE(engine);
    Fixture game;
    Board& board = game.board("b", {{"engine", engine}});
    const std::vector<Submission> batch = {{.player = "ada", .score = 3},
                                           {.player = "ada", .score = 2},
                                           {.player = "bob", .score = NAN},
                                           {.player = "eve", .score = 1}};
    CHECK(board.submit_all(batch, [](std::size_t, const Refusal&) {}) == 2);
    CHECK(value(game, submissions("b", "changed")) == 2);
    CHECK(value(game, submissions("b", "unchanged")) == 1);
    CHECK(value(game, submissions("b", "refused")) == 1);
    CHECK(value(game, refusals("not_finite")) == 1);
  }
}

TEST_CASE("counters of a board continue when it is dropped and made again; its gauges are gone") {
  Fixture game;
  play(game, game.board("b"), {{"ada", 1}});
  REQUIRE(game.registry->drop("b"));
  CHECK(value(game, submissions("b", "changed")) == 1);
  CHECK(value(game, "laurel_board_players{board=\"b\"}") == std::nullopt);
  play(game, game.board("b"), {{"ada", 1}});
  CHECK(value(game, submissions("b", "changed")) == 2);
}

TEST_CASE("boards beyond the first 200 are counted together, also when earlier ones are gone") {
  Fixture game;
  for (int i = 0; i < 200; ++i) game.board(fmt::format("b{}", i));
  REQUIRE(game.registry->drop("b7"));
  play(game, game.board("late"), {{"ada", 1}, {"bob", 1}});
  play(game, game.board("later"), {{"ada", 1}});
  const std::string text = game.registry->metrics();
  CHECK(value(text, "laurel_board_players{board=\"_other\"}") == 3);
  CHECK(value(text, "laurel_board_season{board=\"_other\"}") == std::nullopt);
  CHECK(value(text, submissions("_other", "changed")) == 3);
  CHECK(value(text, submissions("late", "changed")) == std::nullopt);
  play(game, game.board("b7"), {{"ada", 1}});
  CHECK(value(game, submissions("b7", "changed")) == 1);
}

TEST_CASE("families without anything to count are left out") {
  Fixture game;
  const std::string text = game.registry->metrics();
  CHECK(value(text, "laurel_up") == 1);
  CHECK(text.find("laurel_build_info{version=\"") != std::string::npos);
  for (const char* absent : {"laurel_board_", "laurel_submissions", "laurel_disk", "laurel_live",
                             "laurel_rule", "laurel_remote", "laurel_season_ends"}) {
    CAPTURE(absent);
    CHECK(text.find(absent) == std::string::npos);
  }
}

TEST_CASE("each tick is counted once, and takes its time") {
  Fixture game;
  for (int i = 0; i < 5; ++i) game.registry->tick();
  CHECK(value(game, "laurel_tick_seconds_count") == 5);
  CHECK(value(game, "laurel_tick_seconds_bucket{le=\"+Inf\"}") == 5);
  CHECK(*value(game, "laurel_tick_seconds_sum") > 0);
}

TEST_CASE("memory is told by kind, and grows with what is kept") {
  Fixture game;
  Board& board = game.board("b");
  const std::string before = game.registry->metrics();
  for (int i = 0; i < 10'000; ++i) {
    const std::string player = fmt::format("player {}", i);
    REQUIRE(board.submit(WriteMode::submit, {.player = player, .score = 1.0 * i}));
  }
  const std::string after = game.registry->metrics();
  for (const char* kind : {"players", "orders"}) {
    const std::string series = fmt::format("laurel_memory_bytes{{kind=\"{}\"}}", kind);
    CHECK(*value(after, series) > *value(before, series) + 100'000);
  }
  for (const char* kind : {"windows", "rules", "caches"}) {
    CHECK(value(after, fmt::format("laurel_memory_bytes{{kind=\"{}\"}}", kind)));
  }
}

TEST_CASE("a handler of season ends has a gauge of the ends that it has not heard of") {
  Fixture game;
  const std::string series = "laurel_season_ends_pending{handler=\"prizes\"}";
  bool fails = true;
  REQUIRE(
      game.registry->season_ends().listen("prizes", &game, [&](const EndedSeason&, std::string&) {
        return fails ? Hearing::raised : Hearing::returned;
      }));
  Board& board = game.board("b");
  CHECK(value(game, series) == 0);
  play(game, board, {{"ada", 1}});
  REQUIRE(board.reset());
  game.registry->tick();
  CHECK(value(game, series) == 1);
  fails = false;
  *game.now += 3600 * kSecond;
  game.registry->tick();
  CHECK(value(game, series) == 0);
}

TEST_CASE("a durable registry tells of its file, and of each transaction") {
  const test::Folder folder;
  auto registry = Registry::open({.path = folder.path(), .log = Log([](Level, auto) {})});
  REQUIRE(registry);
  REQUIRE((*registry)->open("b", SpecChange()));
  CHECK(*value((*registry)->metrics(), "laurel_disk_pending_bytes") > 0);
  const double before = *value((*registry)->metrics(), "laurel_disk_commit_seconds_count");
  REQUIRE((*registry)->flush());
  const std::string text = (*registry)->metrics();
  CHECK(*value(text, "laurel_disk_commit_seconds_count") == before + 1);
  CHECK(value(text, "laurel_disk_pending_bytes") == 0);
  CHECK(*value(text, "laurel_disk_file_bytes") > 0);
  CHECK(value(text, "laurel_disk_failures_total") == 0);
}

TEST_CASE(
    "the file of metrics is there after the opening, and says at the end that all is closed") {
  const test::Folder folder;
  const std::string file = folder / "laurel.prom";
  auto registry = Registry::open({.metrics = {.file = file, .lua = "LuaJIT"}});
  REQUIRE(registry);
  const Time began = steady_now();
  while (folder.read("laurel.prom").empty() && steady_now() < began + 10 * kSecond) {
  }
  CHECK(value(folder.read("laurel.prom"), "laurel_up") == 1);
  CHECK(folder.read("laurel.prom").find("lua=\"LuaJIT\"} 1\n") != std::string::npos);
  const auto board = (*registry)->open("b", SpecChange());
  REQUIRE((*registry)->get(*board)->submit(WriteMode::submit, {.player = "ada", .score = 1}));
  REQUIRE((*registry)->close());
  CHECK(value(folder.read("laurel.prom"), "laurel_up") == 0);
  CHECK(value(folder.read("laurel.prom"), submissions("b", "changed")) == 1);
}

TEST_CASE("a tick writes the file again when its time has come, and not before") {
  const test::Folder folder;
  const std::string file = folder / "laurel.prom";
  auto registry = Registry::open({.metrics = {.file = file, .every = 20'000}});
  REQUIRE(registry);
  const auto ticks = [&] {
    return value(folder.read("laurel.prom"), "laurel_tick_seconds_count").value_or(0);
  };
  const Time began = steady_now();
  while (ticks() == 0 && steady_now() < began + 10 * kSecond) (*registry)->tick();
  CHECK(ticks() > 0);
  CHECK(steady_now() >= began + 20'000);
}

TEST_CASE("ticks that gather metrics look at each of many boards, and at those only") {
  const test::Folder folder;
  const std::string file = folder / "laurel.prom";
  auto opened = Registry::open({.metrics = {.file = file, .every = 1000}});
  REQUIRE(opened);
  Registry& registry = **opened;
  constexpr int kBoards = 5000;
  for (int i = 0; i < kBoards; ++i) {
    const auto board = registry.open(fmt::format("b{}", i), SpecChange());
    REQUIRE(board);
    REQUIRE(registry.get(*board)->submit(WriteMode::submit, {.player = "ada", .score = 1}));
    if (i % 10 == 0) REQUIRE(registry.drop(fmt::format("b{}", i)));
  }
  const auto players = [&] {
    return value(folder.read("laurel.prom"), "laurel_board_players{board=\"_other\"}").value_or(0) +
           value(folder.read("laurel.prom"), "laurel_board_players{board=\"b1\"}").value_or(0);
  };
  // Every tenth of the 200 boards with labels is gone, and the file has one of the others.
  const double expected = kBoards * 9 / 10 - 180 + 1;
  const Time began = steady_now();
  while (players() != expected && steady_now() < began + 10 * kSecond) registry.tick();
  CHECK(players() == expected);
}

TEST_CASE("a file of metrics in a directory that does not exist opens nothing") {
  const test::Folder folder;
  const auto registry =
      Registry::open({.path = folder / "boards", .metrics = {.file = folder / "none/laurel.prom"}});
  REQUIRE(!registry);
  CHECK(!std::filesystem::exists(folder / "boards"));
}
