// Past seasons that wait for their copy to a remote archive.
#include <doctest/doctest.h>

#include "base/limits.h"
#include "fixture.h"

namespace laurel {

namespace {

class Copying final : public Remotes {
 public:
  explicit Copying(bool copies) : copies_(copies) {}
  void on_open(Registry&) override {}
  bool has(std::string_view) const override { return false; }
  std::vector<std::string> names() const override { return {}; }
  void ban(std::string_view) override {}
  void unban(std::string_view) override {}
  void forget(std::string_view) override {}
  Status may_rename() const override { return Done{}; }
  bool copies_seasons() const override { return copies_; }
  void tick() override {}
  void close() override {}

 private:
  bool copies_;
};

struct Copied : Fixture {
  explicit Copied(bool copies = true) {
    registry = std::make_unique<Registry>(
        RegistryOptions{.clock = std::make_unique<TestClock>(kStart),
                        .log = Log([this](Level level, std::string_view line) {
                          log.push_back(fmt::format("{}: {}", word(level), line));
                        }),
                        .remotes = std::make_unique<Copying>(copies),
                        .secret = HashSecret::fixed(1)});
  }

  // Ends a season with an entry for each letter of `players`.
  void end(Board& board, std::string_view players) {
    for (const char& player : players) {
      REQUIRE(board.submit(WriteMode::submit, result({&player, 1}, player)));
    }
    REQUIRE(board.reset());
  }
};

using Seasons = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE(
    "a player of a season that is being copied is not renamed, so that no copy has both ids") {
  Copied game;
  Board& board = game.board("b", {{"archive", 2.0}});
  game.end(board, "a");
  play(game, board, {{"c", 1}});
  CHECK(verdict(game.registry->rename("a", "b")) == "unavailable");
  CHECK(table(*board.archived(1)) == "1 a 97");
  CHECK(*game.registry->rename("c", "d"));
  board.past_seasons().end_copy(1);
  CHECK(*game.registry->rename("a", "b"));
  CHECK(table(*board.archived(1)) == "1 b 97");
  CHECK(board.past_seasons().next_to_copy() == nullptr);
}

TEST_CASE("a past season stays while it waits for its copy, and the oldest is copied first") {
  Copied game;
  Board& board = game.board("b", {{"archive", 1.0}});
  for (const std::string_view players : {"ab", "c", "d"}) game.end(board, players);
  CHECK(board.seasons() == Seasons{4, 3, 2, 1});
  CHECK(game.registry->board_to_copy() == &board);
  CHECK(board.past_seasons().next_to_copy() == board.archived(1));
  board.past_seasons().end_copy(1);
  CHECK(board.seasons() == Seasons{4, 3, 2});
  CHECK(board.past_seasons().next_to_copy() == board.archived(2));
  board.past_seasons().end_copy(2);
  board.past_seasons().end_copy(3);
  CHECK(board.seasons() == Seasons{4, 3});  // limited by `archive` again
  CHECK(board.past_seasons().next_to_copy() == nullptr);
  CHECK(game.registry->board_to_copy() == nullptr);
}

TEST_CASE("without an archive no season waits") {
  Copied game(false);
  Board& board = game.board("b", {{"archive", 1.0}});
  game.end(board, "ab");
  game.end(board, "c");
  CHECK(board.seasons() == Seasons{3, 2});
  CHECK(game.registry->board_to_copy() == nullptr);
}

TEST_CASE("if too many seasons wait, the oldest is dropped and logged") {
  Copied game;
  Board& board = game.board("b", {{"archive", 2.0}});
  for (std::size_t i = 0; i < kCopiesWaitingMax + 2; ++i) game.end(board, "a");
  CHECK(board.seasons().back() == 1);
  CHECK(game.log.empty());
  game.end(board, "a");
  CHECK(board.seasons().back() == 2);
  CHECK(game.log == std::vector<std::string>{"error: board \"b\": season 1 is dropped before it "
                                             "was archived: 64 seasons wait for the archive"});
  CHECK(board.past_seasons().next_to_copy() == board.archived(2));
}

TEST_CASE("a copy continues from the noted place only") {
  Copied game;
  Board& board = game.board("b");
  game.end(board, "abcdef");
  const ArchivedSeason& season = *board.past_seasons().next_to_copy();
  std::string place = *season.to_copy();
  CHECK(place.empty());
  Arena arena;
  std::vector<EngineRow> rows;
  season.engine().scan(place, 4, arena, rows);
  CHECK(rows.size() == 4);
  const std::uint64_t version = season.copy_version();
  CHECK_FALSE(board.past_seasons().note_copied(1, version + 1, place));
  CHECK_FALSE(board.past_seasons().note_copied(2, version, place));
  CHECK(season.to_copy() == "");
  CHECK(board.past_seasons().note_copied(1, version, place));
  CHECK(season.to_copy() == place);
  CHECK_FALSE(board.past_seasons().note_copied(1, version, "again"));
  CHECK(season.to_copy() == place);
  season.engine().scan(place, 4, arena, rows);
  CHECK(rows.size() == 6);
}

TEST_CASE("a copy restarts when a player of its season is forgotten") {
  Copied game;
  Board& board = game.board("b", {{"archive", 2.0}});
  game.end(board, "abcd");
  game.end(board, "abcd");
  CHECK(board.past_seasons().note_copied(1, board.archived(1)->copy_version(), "place 1"));
  CHECK(board.past_seasons().note_copied(2, board.archived(2)->copy_version(), "place 2"));
  CHECK(game.registry->forget("z"));
  CHECK(board.archived(1)->to_copy() == "place 1");
  CHECK(game.registry->forget("b"));
  CHECK(board.archived(1)->to_copy() == "");
  board.past_seasons().end_copy(1);
  CHECK(game.registry->forget("c"));
  CHECK_FALSE(board.archived(1)->to_copy());  // copied already: the archive itself forgets the
                                              // player
  CHECK(board.archived(2)->to_copy() == "");
}

TEST_CASE("rows scanned before a player of the season was forgotten do not count as copied") {
  Copied game;
  Board& board = game.board("b");
  game.end(board, "abcd");
  const std::uint64_t version = board.archived(1)->copy_version();
  CHECK(game.registry->forget("b"));
  CHECK_FALSE(board.past_seasons().note_copied(1, version, "place"));
  CHECK(board.archived(1)->to_copy() == "");
}

TEST_CASE("a dropped board waits for no copy") {
  Copied game;
  Board& board = game.board("b");
  game.end(board, "ab");
  Board& other = game.board("other");
  game.end(other, "ab");
  CHECK(*game.registry->drop("b"));
  CHECK(game.registry->board_to_copy() == &other);
  CHECK(*game.registry->drop("other"));
  CHECK(game.registry->board_to_copy() == nullptr);
}

}  // namespace laurel
