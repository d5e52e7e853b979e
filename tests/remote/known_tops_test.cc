// The rows of last known tops, without a remote.
#include "registry/known_tops.h"

#include <random>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "folder.h"
#include "remote/limits.h"

namespace laurel {

namespace {

WindowEntry entry_at(std::uint64_t rank, std::string player, double score) {
  return {.player = std::move(player),
          .name = std::nullopt,
          .data = std::nullopt,
          .score = score,
          .rank = rank,
          .at = 5 * kSecond};
}

KnownTop top_of(const std::vector<std::string>& players) {
  KnownTop known{.remote = "main", .known = 7 * kSecond, .top = {}};
  known.top.size = players.size();
  for (const std::string& player : players) {
    const std::size_t rank = known.top.entries.size() + 1;
    known.top.entries.push_back(entry_at(rank, player, 100.0 - static_cast<double>(rank)));
  }
  return known;
}

std::string packed(const KnownTop& known) {
  return pack_known_top(known, kKnownTopEntriesMax, kKnownTopBytesMax);
}

// "main: 1 ada, 2 bob of 2"; "none"
std::string text_of(const std::optional<KnownTop>& known) {
  if (!known) return "none";
  std::string text = known->remote + ":";
  for (const WindowEntry& entry : known->top.entries) {
    text += fmt::format(" {} {},", static_cast<double>(entry.rank), entry.player);
  }
  return text + fmt::format(" of {}", known->top.size);
}

std::unique_ptr<Registry> registry_in(const std::string& path) {
  auto registry = Registry::open({.path = path,
                                  .clock = std::make_unique<TestClock>(Fixture::kStart),
                                  .log = Log([](Level, std::string_view) {}),
                                  .rules = nullptr,
                                  .remotes = nullptr,
                                  .control = nullptr});
  REQUIRE(registry);
  return std::move(*registry);
}

}  // namespace

TEST_CASE("a last known top is unchanged after it was packed and unpacked") {
  KnownTop known = top_of({"ada", "bob"});
  known.top.size = 1539;
  known.top.columns = *ScoreColumns::parse("laps, seconds asc 3 0 100000");
  known.top.entries[0].score =
      *known.top.columns->number({.values = {12, 3.5, 0, 0, 0}, .count = 2});
  known.top.entries[0].data = std::string("\0\xff", 2);
  known.top.entries[1].score = known.top.columns->lowest();
  known.top.entries[1].rank = Rank::mean(2, 3);
  known.top.entries[1].at = std::nullopt;
  const std::optional<KnownTop> read = unpack_known_top(packed(known));
  REQUIRE(read);
  CHECK(read->remote == "main");
  CHECK(read->known == known.known);
  CHECK(read->top.size == 1539);
  CHECK(read->top.columns->text() == known.top.columns->text());
  CHECK(read->top.entries == known.top.entries);
  CHECK(text_of(unpack_known_top(packed(top_of({})))) == "main: of 0");
}

TEST_CASE("a packed top has the entries that fit its limits") {
  std::vector<std::string> players;
  for (int i = 0; i < 200; ++i) players.push_back("player" + std::to_string(i));
  KnownTop known = top_of(players);
  CHECK(unpack_known_top(packed(known))->top.entries.size() == kKnownTopEntriesMax);
  for (WindowEntry& entry : known.top.entries) entry.data = std::string(kDataBytesMax, 'x');
  const std::string row = packed(known);
  CHECK(row.size() <= kKnownTopBytesMax);
  CHECK(row.size() > kKnownTopBytesMax - 2 * kDataBytesMax);
  CHECK(unpack_known_top(row)->top.entries.size() > 50);
}

TEST_CASE("bytes that are no top are refused, whatever they are") {
  KnownTop known = top_of({"ada", "bob", "cleo"});
  known.top.columns = *ScoreColumns::parse("laps, seconds asc 3 0 100000");
  for (WindowEntry& entry : known.top.entries) entry.score = known.top.columns->highest();
  const std::string row = packed(known);
  std::size_t refused = 0;
  for (std::size_t bytes = 0; bytes < row.size(); ++bytes) {
    const auto read = unpack_known_top(std::string_view(row).substr(0, bytes));
    if (!read) ++refused;
    if (read) CHECK(read->top.entries.size() < 3);  // it was cut between two entries
  }
  CHECK(refused == row.size() - 3);
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = row;
    for (unsigned flips = 0; flips <= random() % 3; ++flips) {
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    }
    const std::optional<KnownTop> read = unpack_known_top(damaged);
    if (!read) continue;
    for (const WindowEntry& entry : read->top.entries) {
      CHECK_FALSE(entry.player.empty());
      if (read->top.columns) CHECK(read->top.columns->is_whole(entry.score));
    }
  }
}

TEST_CASE(
    "a player who is forgotten or banned leaves every last known top, also the damaged ones") {
  const test::Folder folder("boards");
  {
    const auto registry = registry_in(folder.path());
    KnownTops& tops = registry->known_tops();
    tops.put("a", packed(top_of({"ada", "bob", "bobby"})), 0);
    tops.put("b", packed(top_of({"bobby", "bob"})), 0);
    tops.put("c", packed(top_of({"cleo"})), 0);
    tops.put("damaged", packed(top_of({"bob"})) + "x", 0);
    REQUIRE(registry->close());
  }
  {
    const auto registry = registry_in(folder.path());
    CHECK(registry->forget("bob"));
    CHECK(registry->ban("cleo"));
    REQUIRE(registry->close());
  }
  const auto registry = registry_in(folder.path());
  KnownTops& tops = registry->known_tops();
  CHECK(text_of(tops.find("a")) == "main: 1 ada, 3 bobby, of 2");
  CHECK(text_of(tops.find("b")) == "main: 1 bobby, of 1");
  CHECK(text_of(tops.find("c")) == "main: of 0");
  CHECK_FALSE(tops.has("damaged"));
  CHECK(tops.find("a")->known == 7 * kSecond);
}

TEST_CASE("a board that is opened locally has no last known top") {
  const test::Folder folder("boards");
  const auto registry = registry_in(folder.path());
  registry->known_tops().put("world", packed(top_of({"ada"})), 0);
  REQUIRE(registry->open("world", SpecChange()));
  CHECK_FALSE(registry->known_tops().has("world"));
  CHECK(text_of(registry->known_tops().find("world")) == "none");
}

TEST_CASE("the oldest of the last known tops that may go makes room") {
  const test::Folder folder("boards");
  const auto registry = registry_in(folder.path());
  KnownTops& tops = registry->known_tops();
  for (const char* board : {"a", "b", "c"}) {
    KnownTop known = top_of({"ada"});
    known.known -= *board;
    tops.put(board, packed(known), 0);
  }
  tops.erase_oldest([](std::string_view board) { return board != "c"; });
  CHECK(tops.has("a"));
  CHECK_FALSE(tops.has("b"));
  CHECK(tops.has("c"));
}

TEST_CASE("a registry in memory keeps no last known top") {
  Fixture game;
  CHECK_FALSE(game.registry->known_tops().are_kept());
  game.registry->known_tops().put("world", packed(top_of({"ada"})), 0);
  CHECK(game.registry->known_tops().size() == 0);
}

}  // namespace laurel
