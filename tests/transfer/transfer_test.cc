// Export and import of a registry: a round trip loses nothing, and a broken file changes nothing.
#include "transfer/transfer.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "board/results/kept_result.h"
#include "folder.h"
#include "long_form.h"

namespace laurel {

namespace {

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> sorted_lines(const std::string& file) {
  std::istringstream in(content(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string text(const Status& status) {
  return status ? "ok" : std::string(status.refusal().text());
}

// Boards of every engine, with everything that a registry can hold.
void fill(Fixture& game) {
  std::mt19937 random(7);
  const std::vector<std::pair<std::string_view, Fields>> specs = {
      {"plain", {{"meta", "caf\xE9"}, {"reset", "0 0 * * *"}, {"archive", 3.0}}},
      {"tenths",
       {{"decimals", 1.0},
        {"keep", "sum"},
        {"order", "asc"},
        {"join", "required"},
        {"history", 100.0}}},
      {"capped", {{"engine", "capped"}, {"cap", 3.0}, {"reserve", 2.0}}},
      {"padded", {{"engine", "padded"}, {"digits", 12.0}, {"ties", "earliest"}, {"history", 3.0}}},
      {"paged", {{"engine", "paged"}, {"archive", 2.0}, {"history", 2.0}}},
      {"sharded", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "paged"}, {"history", 1.0}}},
      {"rolling", {{"engine", "rolling"}, {"window.buckets", 5.0}, {"window.seconds", 3600.0}}},
      {"days", {{"engine", "rolling"}, {"days", 3.0}, {"zone", "Asia/Tokyo"}}},
      {"hours",
       {{"reset", "0 0 * * *"},
        {"zone", "America/New_York"},
        {"duration", 7200.5},
        {"archive", 9.0}}}};
  for (const auto& [name, fields] : specs) game.open(name, fields);
  for (const std::string_view name : {"prizes", "caf\xE9"}) {
    REQUIRE(game.registry->season_ends().listen(
        name, nullptr, [](const EndedSeason&, std::string&) { return Hearing::returned; }));
  }
  CHECK(*game.registry->ban("cheat"));
  for (int i = 0; i < 400; ++i) {
    *game.now += 700 * kSecond;
    for (const auto& [name, fields] : specs) {
      Board& board = *game.registry->get(*game.registry->find(name));
      const std::string player = i % 13 == 0 ? "\xFF#" : fmt::format("p{}", random() % 20);
      if (name == "tenths") (void)board.join(result(player, 0), false);
      Submission submission = result(player, static_cast<double>(random() % 50));
      if (i % 3 == 0) submission.data = "d\xFE";
      (void)board.submit(WriteMode::submit, submission);
      if (i == 300) (void)board.ban("p3");
      if (i == 301) (void)board.unban("cheat");
      if (i == 200 && name == "paged") CHECK(board.reset());
    }
  }
  Registry& registry = *game.registry;
  AttributeChanges attributes;
  CHECK(attributes.add("country", "DE"));
  CHECK(attributes.add("cl\xE4n", "r\xFF"));
  CHECK(registry.profiles().save(
      {.id = "p1", .name = "Ada", .email = "ada@x", .attributes = attributes.text()},
      registry.now()));
  for (int i = 0; i < 5; ++i) {
    CHECK(registry.sessions().record({.player = "p1", .game = "t", .score = 1.5, .seconds = 3},
                                     registry.now()));
  }
}

}  // namespace

TEST_CASE("a round trip of a registry loses nothing") {
  const test::Folder folder;
  Fixture game;
  fill(game);
  CHECK(text(export_registry(*game.registry, folder / "a")) == "ok");

  Fixture other;
  *other.now = *game.now;
  CHECK(text(import_registry(*other.registry, folder / "a")) == "ok");
  CHECK(text(export_registry(*other.registry, folder / "b")) == "ok");
  CHECK(sorted_lines(folder / "a") == sorted_lines(folder / "b"));

  for (const std::string& name : game.registry->names()) {
    CAPTURE(name);
    const Board& before = *game.registry->get(*game.registry->find(name));
    const Board& after = *other.registry->get(*other.registry->find(name));
    CHECK(table(before) == table(after));
    CHECK(before.seasons() == after.seasons());
    CHECK(before.resets_at() == after.resets_at());
    CHECK(before.banned() == after.banned());
    const std::vector<PastResult> kept = before.history("p1", SIZE_MAX);
    const std::vector<PastResult> read = after.history("p1", SIZE_MAX);
    REQUIRE(kept.size() == read.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      CHECK(kept[i].at == read[i].at);
      CHECK(kept[i].held == read[i].held);
    }
    CHECK(before.created() == after.created());
    CHECK(before.spec().meta == after.spec().meta);
    for (const std::uint64_t season : before.seasons()) {
      if (const ArchivedSeason* past = before.archived(season)) {
        CHECK(table(*past) == table(*after.archived(season)));
        CHECK(past->season().ended == after.archived(season)->season().ended);
      }
    }
    // A hidden entry comes back unchanged.
    Board& ours = *game.registry->get(*game.registry->find(name));
    Board& theirs = *other.registry->get(*other.registry->find(name));
    CHECK(*ours.unban("p3") == *theirs.unban("p3"));
    CHECK(table(ours) == table(theirs));
  }
  CHECK(other.registry->profiles().by_email("ada@x")->lifetime_score == 7.5);
  CHECK(other.registry->profiles().get("p1")->attributes ==
        game.registry->profiles().get("p1")->attributes);
  CHECK(attribute_of(other.registry->profiles().get("p1")->attributes, "cl\xE4n") == "r\xFF");
  CHECK(other.registry->sessions().of_player("p1", 10).size() == 5);
  CHECK(other.registry->banned() == std::vector<std::string>{"cheat"});
}

TEST_CASE("an export of a capped board includes its reserve") {
  const test::Folder folder;
  Fixture game;
  Board& board = game.board("b", {{"engine", "capped"}, {"cap", 1.0}});
  play(game, board, {{"a", 2}, {"b", 1}});
  CHECK(text(export_registry(*game.registry, folder / "a")) == "ok");
  Fixture other;
  CHECK(text(import_registry(*other.registry, folder / "a")) == "ok");
  CHECK(*other.board("b").remove("a"));
  CHECK(table(other.board("b")) == "1 b 1");
}

TEST_CASE("an import refuses boards and profiles that exist") {
  const test::Folder folder;
  Fixture game;
  fill(game);
  CHECK(text(export_registry(*game.registry, folder / "a")) == "ok");
  Fixture same_board;
  same_board.open("paged");
  CHECK(text(import_registry(*same_board.registry, folder / "a")).starts_with("taken: line "));
  CHECK(same_board.registry->names() == std::vector<std::string>{"paged"});
  Fixture same_email;
  CHECK(same_email.registry->profiles().save({.id = "x", .name = {}, .email = "ada@x"}, 0));
  CHECK(text(import_registry(*same_email.registry, folder / "a")).starts_with("taken: line "));
  CHECK(same_email.registry->names().empty());
}

TEST_CASE("a broken file changes nothing, and the message names the line") {
  const test::Folder folder;
  const auto complaint = [&](std::string_view lines) {
    std::ofstream(folder / "bad", std::ios::binary) << lines;
    Fixture game;
    const std::string said = text(import_registry(*game.registry, folder / "bad"));
    CHECK(game.registry->names().empty());
    CHECK(game.registry->banned().empty());
    CHECK(game.registry->season_ends().names().empty());
    CHECK(game.registry->stats().players == 0);
    return said;
  };
  const std::string begin = R"({"laurel":1}
{"banned":"cheat"}
{"board":{"name":"b","created":0,"spec":{"engine":"ranked"}}}
)";
  const std::string season = R"({"season":{"number":1,"started":0,"written":true}}
)";
  CHECK(complaint("") == "bad_data: line 0: the file has no lines");
  CHECK(complaint("{}\n") == "bad_data: line 1: no JSON object with one member");
  CHECK(complaint(R"({"laurel":2})") ==
        "bad_data: line 1: form 2 of exports; this version reads form 1");
  CHECK(complaint(begin) == "bad_data: line 3: board \"b\" has no running season");
  CHECK(complaint(begin + R"({"entry":{}})") ==
        "bad_data: line 4: \"entry\" comes before any season");
  CHECK(complaint(begin + season + R"({"entry":{"player":"p","at":0}})") ==
        "bad_data: line 5: entry: 'score' takes a number");
  CHECK(complaint(begin + season + R"({"entry":{"player":"","score":1,"at":0}})")
            .starts_with("bad_data: line 5: bad_player: "));
  const std::string entry = R"({"entry":{"player":"p","score":1,"at":0}})";
  CHECK(complaint(begin + season + entry + "\n" + entry) ==
        "bad_data: line 6: player \"p\" comes twice");
  CHECK(complaint(begin + season + season) ==
        "bad_data: line 5: the running season is the last one");
  CHECK(complaint(begin + season + "{\"entry\":") ==
        "bad_data: line 5: no JSON object with one member");
  CHECK(complaint(begin + season + R"({"odd":"p"})") ==
        "bad_data: line 5: \"odd\" is not a kind of line");
  CHECK(complaint(begin + season + R"({"season_ends":""})") ==
        "bad_data: line 5: a name that hears of season ends expected");
  CHECK(complaint(begin + season + "{\"season_ends\":\"a\"}\n{\"season_ends\":\"a\"}") ==
        "bad_data: line 6: the name \"a\" comes twice");
  std::string names;
  for (int i = 0; i < 65; ++i) names += fmt::format("{{\"season_ends\":\"n{}\"}}\n", i);
  CHECK(complaint(begin + season + names) ==
        "unavailable: line 69: at most 64 names hear of season ends");
  const auto with_end = [&](std::string_view end) {
    return complaint(begin + "{\"season_ends\":\"a\"}\n" +
                     R"({"season":{"number":1,"started":0,"ended":1,"spec":{},"end":)" +
                     std::string(end) + "}}\n" + season);
  };
  CHECK(with_end(R"({"id":"x","number":1,"names":["b"]})") ==
        "bad_data: line 5: end: 'names' takes names of season_ends, each once");
  CHECK(with_end(R"({"id":"x","number":1,"names":["a","a"]})") ==
        "bad_data: line 5: end: 'names' takes names of season_ends, each once");
  CHECK(with_end(R"({"id":"x","number":1,"names":[]})") ==
        "bad_data: line 5: end: 'names' takes an array of names");
  CHECK(with_end(R"({"id":"","number":1,"names":["a"]})") ==
        "bad_data: line 5: end: 'id' takes 1 to 64 bytes");
  CHECK(with_end(R"({"id":"x","number":-1,"names":["a"]})") ==
        "bad_data: line 5: end: 'number' takes a whole number from 0 on");
  CHECK(with_end("5") == "bad_data: line 5: end is not an object");
}

TEST_CASE(
    "an import with more boards than a registry may have is unavailable, and names the limit") {
  if (!long_form()) {
    MESSAGE("SKIPPED: a million boards take two gigabytes; ./tests/run --long has them");
    return;
  }
  const test::Folder folder;
  std::ofstream out(folder / "many");
  out << R"({"laurel":1})" << '\n';
  for (std::size_t i = 0; i <= kBoardsMax; ++i) {
    out << R"({"board":{"name":")" << i << R"(","created":0,"spec":{"engine":"padded"}}})" << '\n'
        << R"({"season":{"number":1,"started":0,"written":false}})" << '\n';
  }
  out.close();
  Fixture game;
  const Status imported = import_registry(*game.registry, folder / "many");
  CHECK(text(imported) == "unavailable: line 2000002: a registry has at most 1000000 boards");
  CHECK(game.registry->names().empty());
}

TEST_CASE("a truncated or altered file is refused or read, and never crashes") {
  const test::Folder folder;
  Fixture game;
  fill(game);
  CHECK(text(export_registry(*game.registry, folder / "a")) == "ok");
  const std::string whole = content(folder / "a");
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    std::string bent = whole.substr(0, random() % whole.size());
    for (int byte = 0; byte < i % 4 && !bent.empty(); ++byte) {
      bent[random() % bent.size()] = static_cast<char>(random());
    }
    std::ofstream(folder / "bent", std::ios::binary) << bent;
    Fixture other;
    const Status status = import_registry(*other.registry, folder / "bent");
    if (!status) CHECK(other.registry->names().empty());
  }
}

TEST_CASE("a failed export reports the error and keeps the old file") {
  const test::Folder folder;
  Fixture game;
  CHECK(text(export_registry(*game.registry, folder / "missing/a")).starts_with("unavailable: "));
  CHECK(text(import_registry(*game.registry, folder / "none")).starts_with("unavailable: "));
  std::filesystem::create_directory(folder / "taken");
  CHECK(text(export_registry(*game.registry, folder / "taken")).starts_with("unavailable: "));
  CHECK(std::filesystem::is_directory(folder / "taken"));
  CHECK_FALSE(std::filesystem::exists(folder / "taken.new"));
}

}  // namespace laurel
