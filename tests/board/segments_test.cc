// Segments compared with a list: the board's own entries, of those players who have the value, with
// ranks by definition. Random histories on each engine that has segments, in memory and on a disk.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/segments/segment_orders.h"
#include "board/standings/entry_cursor.h"
#include "engine/ranked/ranked_engine.h"
#include "fixture.h"
#include "folder.h"
#include "long_form.h"
#include "naive_part.h"
#include "silent_registry.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

// What the test set: the value of each attribute of each player.
using Attributes = std::map<std::string, std::map<std::string, std::string>>;

class SegmentedGame {
 public:
  SegmentedGame(std::uint64_t seed, const Fields& fields, bool durable)
      : random_(seed), now_(std::make_shared<Time>(Fixture::kStart)) {
    if (durable) folder_ = std::make_unique<test::Folder>();
    start();
    Fields all = fields;
    all.emplace_back("segments", "country,clan");
    open(all);
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      *now_ += static_cast<Time>(random_() % 3) * kSecond;
      step();
      if (random_() % 16 == 0) compare();
    }
    compare();
  }

 private:
  static constexpr int kPlayers = 30;

  void start() {
    registry_.reset();
    registry_ = open_silently(now_, folder_.get());
  }
  void open(const Fields& fields) {
    const auto opened = registry_->open("b", spec(fields));
    if (!opened) FAIL(opened.refusal().text());
  }

  Board& board() { return *registry_->get(*registry_->find("b")); }
  std::string player() { return fmt::format("p{}", random_() % kPlayers); }
  double score() { return static_cast<double>(random_() % 12); }

  void step() {
    const std::string id = player();
    switch (random_() % 50) {
      case 0: forget(id); break;
      case 1: REQUIRE(board().ban(id)); break;
      case 2: REQUIRE(board().unban(id)); break;
      case 3: REQUIRE(registry_->ban(id)); break;
      case 4: REQUIRE(registry_->unban(id)); break;
      case 5:
        if (random_() % 4 == 0) REQUIRE(board().clear());
        break;
      case 6:
        if (random_() % 4 == 0) REQUIRE(board().reset());
        break;
      case 7:
        if (folder_) start();
        break;
      case 8: open({{"ranking", word(kEveryRanking[random_() % kEveryRanking.size()])}}); break;
      case 9:
        open({{"segments", false}});
        open({{"segments", random_() % 2 == 0 ? "clan,country" : "country,clan"}});
        break;
      case 10: rename(id); break;
      case 11:
        if (!folder_ && random_() % 4 == 0) move_to_another_registry();
        break;
      case 12: (void)board().set_data(id, random_() % 2 == 0 ? "some" : "other"); break;
      case 13: registry_->tick(); break;
      case 14: submit_some(); break;
      case 15:
        if (random_() % 4 == 0) REQUIRE(board().mark());
        break;
      case 16:
      case 17:
      case 18:
      case 19: REQUIRE(board().remove(id)); break;
      case 20:
      case 21: (void)board().submit(WriteMode::add, {.player = id, .score = 1}); break;
      case 22: (void)board().set({.player = id, .score = score()}); break;
      case 23:
      case 24:
      case 25:
      case 26:
      case 27:
      case 28:
      case 29: change_attribute(id); break;
      default: (void)board().submit(WriteMode::submit, {.player = id, .score = score()});
    }
  }

  void change_attribute(const std::string& id) {
    const std::string name = random_() % 2 == 0 ? "country" : "clan";
    const bool is_off = random_() % 4 == 0;
    // One value that many players have, and some that few have.
    const std::string value = random_() % 2 == 0 ? "DE" : fmt::format("v{}", random_() % 8);
    AttributeChanges changes;
    REQUIRE(changes.add(name, is_off ? std::nullopt : std::optional<std::string_view>(value)));
    REQUIRE(changes.add("other", fmt::format("{}", random_() % 3)));
    REQUIRE(registry_->profiles().save(
        {.id = id, .name = {}, .email = {}, .attributes = changes.text()}, *now_));
    attributes_[id].erase(name);
    if (!is_off) attributes_[id][name] = value;
  }

  void submit_some() {
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(player());
    std::vector<Submission> submissions;
    for (const std::string& id : ids) submissions.push_back({.player = id, .score = score()});
    board().submit_all(submissions, [](std::size_t, const Refusal&) {});
  }

  void forget(const std::string& id) {
    REQUIRE(registry_->forget(id));
    attributes_.erase(id);
  }

  void rename(const std::string& from) {
    const std::string to = player();
    const Result<bool> renamed = registry_->rename(from, to);
    if (!renamed || !*renamed) return;
    if (const auto moved = attributes_.extract(from)) attributes_[to] = moved.mapped();
  }

  void move_to_another_registry() {
    const test::Folder folder;
    REQUIRE(export_registry(*registry_, folder / "export"));
    start();
    const Status imported = import_registry(*registry_, folder / "export");
    if (!imported) FAIL(imported.refusal().text());
  }

  // The board's entries of those who have the value.
  std::vector<Line> members(const Entries& all, const std::string& name, const std::string& value) {
    std::vector<Line> lines;
    for (const Entry& entry : all) {
      const auto known = attributes_.find(std::string(entry.player));
      if (known == attributes_.end() || !known->second.contains(name)) continue;
      if (known->second.at(name) != value) continue;
      lines.push_back(line_of(entry));
    }
    return lines;
  }

  void compare() {
    Entries all;
    board().read(0, SIZE_MAX, all);
    for (const std::string name : {"country", "clan"}) {
      std::set<std::string> values = {"nobody has it"};
      for (const auto& [id, attributes] : attributes_) {
        if (attributes.contains(name)) values.insert(attributes.at(name));
      }
      std::vector<std::pair<std::string, std::size_t>> sizes;
      for (const std::string& value : values) {
        CAPTURE(name);
        CAPTURE(value);
        const std::vector<Line> lines = members(all, name, value);
        compare(lines, name, value);
        if (!lines.empty()) sizes.emplace_back(value, lines.size());
      }
      std::stable_sort(sizes.begin(), sizes.end(),
                       [](const auto& a, const auto& b) { return a.second > b.second; });
      std::vector<std::pair<std::string, std::size_t>> told;
      const auto standing = board().segments(name);
      REQUIRE(standing);
      for (const SegmentSize& each : *standing) {
        told.emplace_back(each.value, each.size);
      }
      REQUIRE(told == sizes);
    }
  }

  void compare(const std::vector<Line>& lines, const std::string& name, const std::string& value) {
    const auto found = board().segment(name, value);
    REQUIRE(found);
    compare_part(
        **found, lines, board(), board().spec().ranking,
        [this](Entries& entries) { board().rank_overall(entries); }, random_);
  }

  std::mt19937_64 random_;
  std::shared_ptr<Time> now_;
  std::unique_ptr<test::Folder> folder_;
  std::unique_ptr<Registry> registry_;
  Attributes attributes_;
};

std::vector<std::pair<std::string_view, Fields>> segmented_engines() {
  return {{"ranked", {}}, {"sharded", {{"engine", "sharded"}, {"shards", 3.0}}}};
}

}  // namespace

TEST_CASE(
    "a segment is the board's entries of the players with the value, ranked among themselves") {
  std::uint64_t seed = 0;
  for (const bool durable : {false, true}) {
    for (const auto& kind : segmented_engines()) {
      for (const std::string_view ties : {"earliest", "latest", "player", "player_desc"}) {
        for (const std::string_view order : {"desc", "asc"}) {
          ++seed;
          INFO("seed ", seed, ", ", kind.first, ", ties ", ties, ", order ", order);
          CAPTURE(durable);
          Fields all = kind.second;
          all.emplace_back("ties", ties);
          all.emplace_back("order", order);
          all.emplace_back("keep", "latest");
          all.emplace_back("ranking", word(kEveryRanking[seed % kEveryRanking.size()]));
          // 32 histories: a million steps in the long form.
          SegmentedGame(seed, all, durable).run(short_or_long(durable ? 150 : 400, 32'000));
        }
      }
    }
  }
}

TEST_CASE("an attribute that segments do not name is unknown") {
  Fixture game;
  Board& board = game.board("b", {{"segments", "country"}});
  CHECK(board.segment("clan", "reds").refusal().text() ==
        "unknown: board \"b\" has no segments of attribute \"clan\"");
  CHECK(board.segments("clan").refusal().code() == Code::unknown);
  CHECK((*board.segment("country", "DE"))->size() == 0);
  CHECK(board.segments("country")->empty());
  game.open("b", {{"segments", false}});
  CHECK(board.segment("country", "DE").refusal().text() == "unknown: board \"b\" has no segments");
}

TEST_CASE("segments are of ranked boards, and of ranked shards") {
  Fixture game;
  for (const std::string_view engine : {"capped", "padded", "paged", "rolling"}) {
    const std::string told = refusal_of(game, {{"engine", engine}, {"segments", "country"}});
    CHECK(
        told.starts_with("invalid: field 'segments' belongs to engine \"ranked\" or \"sharded\""));
  }
  CHECK(refusal_of(game, {{"engine", "sharded"}, {"of", "paged"}, {"segments", "country"}}) ==
        "invalid: field 'segments' belongs to shards of engine \"ranked\"; these are of \"paged\"");
  CHECK(refusal_of(game, {{"engine", "sharded"}, {"segments", "a,b,c,d"}}) == "ok");
}

TEST_CASE("the names of segments are read as text with commas") {
  Fixture game;
  const auto told = [&](std::string_view text) {
    SpecChange change;
    const Status taken = change.set("segments", text);
    return taken ? std::string(change.create()->segments) : std::string(taken.refusal().text());
  };
  CHECK(told("country,clan") == "country,clan");
  CHECK(told("a\\,b\\\\,c d") == "a\\,b\\\\,c d");
  CHECK(told("a,b,c,d,e").starts_with("invalid: field 'segments': 5 names are given; it takes 1 "));
  CHECK(told("a,a").starts_with("invalid: field 'segments': \"a\" is given twice; "));
  CHECK(told("a,,b").starts_with("invalid: field 'segments': \"\" is no name of an attribute; "));
  CHECK(told(std::string(65, 'a')).starts_with("invalid: "));
  Board& board = game.board("b", {{"segments", "a\\,b"}});
  save_attribute(game, "ada", "a,b", "x");
  play(game, board, {{"ada", 1}});
  CHECK((*board.segment("a,b", "x"))->size() == 1);
}

TEST_CASE("a change of an attribute is a change of the board, and others are not") {
  Fixture game;
  Board& board = game.board("b", {{"segments", "country"}});
  play(game, board, {{"ada", 1}, {"bea", 2}});
  std::uint64_t version = board.version();
  save_attribute(game, "ada", "country", "DE");
  CHECK(board.version() > version);
  version = board.version();
  save_attribute(game, "ada", "country", "DE");
  save_attribute(game, "ada", "clan", "reds");
  save_attribute(game, "cleo", "country", "DE");  // not on the board
  CHECK(board.version() == version);
  CHECK(table(**board.segment("country", "DE")) == "1 ada 1");
}

TEST_CASE("beyond the most values a player is in no segment until the value changes") {
  Players players{HashSecret::fixed(1)};
  const RankedEngine order(players, Ties::earliest);
  SegmentOrders segments(players, order, Ties::earliest, {"country"}, 2);
  const auto of = [](std::string_view value) {
    return std::string("country") + '\0' + std::string(value) + '\0';
  };
  const auto find = [&](std::string_view id) { return Player{id, players.find(id)}; };
  const auto sizes = [&] {
    std::string text;
    for (const SegmentSize& each : segments.sizes(0)) {
      text += fmt::format("{} {} ", each.value, each.size);
    }
    return text;
  };
  CHECK(segments.add(find("a"), 1, 1, of("DE")));
  CHECK(segments.add(find("b"), 2, 1, of("FR")));
  CHECK(segments.add(find("c"), 3, 1, of("DE")));
  CHECK_FALSE(segments.add(find("d"), 4, 1, of("AT")));
  CHECK(segments.add(find("e"), 5, 1, ""));
  CHECK(sizes() == "DE 2 FR 1 ");
  segments.put(find("d"), 9, 2);
  segments.check();
  CHECK(segments.move(find("e"), 5, 1, of("IT")) == SegmentOrders::Moved::out);
  segments.erase(find("b"));
  CHECK(sizes() == "DE 2 ");
  CHECK(segments.move(find("e"), 5, 1, of("IT")) == SegmentOrders::Moved::yes);
  CHECK(segments.move(find("d"), 9, 2, of("DE")) == SegmentOrders::Moved::yes);
  CHECK(sizes() == "DE 3 IT 1 ");
  for (const char* const id : {"a", "c", "d", "e"}) segments.erase(find(id));
  CHECK(sizes().empty());
  CHECK(players.size() == 0);
}

TEST_CASE("a board with segments is submitted to by one thread") {
  Fixture game;
  Board& board = game.board("b", {{"engine", "sharded"}});
  CHECK(board.is_concurrent());
  game.open("b", {{"segments", "country"}});
  CHECK_FALSE(board.is_concurrent());
  game.open("b", {{"segments", false}});
  CHECK(board.is_concurrent());
}

TEST_CASE("a loop over a segment visits each player who stays once, whatever the loop writes") {
  Fixture game;
  Board& board = game.board("b", {{"segments", "country"}, {"keep", "latest"}});
  for (int i = 0; i < 50; ++i) {
    const std::string id = fmt::format("p{}", i);
    save_attribute(game, id, "country", i % 2 == 0 ? "DE" : "FR");
    play(game, board, {{id, i}});
  }
  std::multiset<std::string> visited;
  EntryCursor cursor(**board.segment("country", "DE"), 0);
  for (;;) {
    Entries next;
    REQUIRE(cursor.next(next));
    if (next.empty()) break;
    const std::string id(next.front().player);
    visited.insert(id);
    (void)board.set(result(id, visited.size() % 3 == 0 ? 1000 : -1000));
    (void)board.set(result("p1", 500));
  }
  CHECK(visited.size() == 25);
  for (int i = 0; i < 50; i += 2) CHECK(visited.count(fmt::format("p{}", i)) == 1);
}

TEST_CASE("a loop over a segment ends if the segment does") {
  Fixture game;
  Board& board = game.board("b", {{"segments", "country"}});
  save_attribute(game, "ada", "country", "DE");
  save_attribute(game, "bea", "country", "DE");
  play(game, board, {{"ada", 2}, {"bea", 1}});
  EntryCursor cursor(**board.segment("country", "DE"), 0);
  Entries visited;
  REQUIRE(cursor.next(visited));
  CHECK(table(visited) == "1 ada 2");
  REQUIRE(board.clear());
  // The ids that were read are views, which ended with the change.
  REQUIRE(cursor.next(visited));
  CHECK(visited.size() == 1);
}

TEST_CASE("a loop over a segment continues while many others are read") {
  Fixture game;
  Board& board = game.board("b", {{"segments", "country"}});
  constexpr std::size_t kMany = kSegmentBoardsMax + 100;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::string id = fmt::format("p{}", i);
    save_attribute(game, id, "country", i < 3 ? "DE" : id);
    REQUIRE(board.submit(WriteMode::submit, result(id, static_cast<double>(i))));
  }
  EntryCursor cursor(**board.segment("country", "DE"), 0);
  Entries visited;
  REQUIRE(cursor.next(visited));
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 3; i < kMany; ++i) {
      const std::string id = fmt::format("p{}", i);
      CHECK(table(**board.segment("country", id)) == fmt::format("1 {} {}", id, i));
    }
  }
  for (int i = 0; i < 3; ++i) REQUIRE(cursor.next(visited));
  CHECK(table(visited) == "1 p2 2, 2 p1 1, 3 p0 0");
}

TEST_CASE("the former segments of a board are freed in steps, and their players let go") {
  Fixture game;
  Board& board = game.board("b", {{"segments", "country,clan"}});
  constexpr int kMany = 6000;
  for (int i = 0; i < kMany; ++i) {
    const std::string id = fmt::format("p{}", i);
    save_attribute(game, id, "country", i % 2 == 0 ? "DE" : fmt::format("c{}", i % 100));
    (void)board.submit(WriteMode::submit, result(id, i));
  }
  REQUIRE(board.clear());
  CHECK(board.segments("country")->empty());
  CHECK(game.registry->stats().reclaiming > 0);
  for (int tick = 0; tick < 1000 && game.registry->stats().reclaiming > 0; ++tick) {
    game.registry->tick();
  }
  CHECK(game.registry->stats().players == 0);
}

}  // namespace laurel
