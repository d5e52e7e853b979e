// Cohorts compared with a list: who came first, one after another, and the board's own entries of
// those in one cohort, with ranks by definition. Random histories on each engine that has cohorts,
// in memory and on a disk.
#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/board_window.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/cohort_places.h"
#include "board/standings/entry_cursor.h"
#include "fixture.h"
#include "folder.h"
#include "long_form.h"
#include "naive_part.h"
#include "silent_registry.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

// The cohorts of a season, as the contract has them.
struct NaiveCohorts {
  std::size_t size = 0;  // 0: the season has none
  std::string by;
  std::map<std::string, std::size_t> place;   // by player
  std::map<std::string, std::size_t> filled;  // by value
  std::size_t count = 0;

  std::size_t players(std::size_t number) const {
    return static_cast<std::size_t>(std::count_if(
        place.begin(), place.end(), [number](const auto& each) { return each.second == number; }));
  }
  void enter(const std::string& player, const std::string& value) {
    if (size == 0 || place.contains(player)) return;
    const auto found = filled.find(value);
    if (found == filled.end() || players(found->second) == size) filled[value] = ++count;
    place[player] = filled[value];
  }
  void forget(const std::string& player) {
    const auto found = place.extract(player);
    if (!found || players(found.mapped()) > 0) return;
    std::erase_if(filled, [&](const auto& each) { return each.second == found.mapped(); });
  }
  void rename(const std::string& from, const std::string& to) {
    if (const auto found = place.extract(from)) place[to] = found.mapped();
  }
};

// "50", "30,league", or false.
using CohortsField = std::optional<std::string>;

class CohortGame {
 public:
  CohortGame(std::uint64_t seed, const Fields& fields, bool durable)
      : random_(seed), now_(std::make_shared<Time>(Fixture::kStart)) {
    if (durable) folder_ = std::make_unique<test::Folder>();
    start();
    Fields all = fields;
    all.emplace_back("archive", 2.0);
    open(all);
    if (random_() % 2 == 0) set_reset();
    set_cohorts("3");
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      *now_ += static_cast<Time>(random_() % 3) * kSecond;
      follow_season();
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
  void set_reset() { open({{"reset", "*/5 * * * *"}}); }

  Board& board() { return *registry_->get(*registry_->find("b")); }
  std::string player() { return fmt::format("p{}", random_() % kPlayers); }
  double score() { return static_cast<double>(random_() % 12); }
  std::string value_of(const std::string& player) {
    return cohorts_.by == "" ? "" : attributes_[player][cohorts_.by];
  }

  // The first call after a reset was due ends the season.
  void follow_season() {
    if (board().season().number == season_) return;
    past_[season_] = cohorts_;
    season_ = board().season().number;
    cohorts_.place.clear();
    cohorts_.filled.clear();
    cohorts_.count = 0;
  }

  // Who is on the board and has no place enters.
  void follow(const std::string& id) {
    if (board().get(id)) cohorts_.enter(id, value_of(id));
  }

  void step() {
    const std::string id = player();
    switch (random_() % 50) {
      case 0:
      case 1: forget(id); break;
      case 2: REQUIRE(board().ban(id)); break;
      case 3: REQUIRE(board().unban(id)); break;
      case 4: REQUIRE(registry_->ban(id)); break;
      case 5: REQUIRE(registry_->unban(id)); break;
      case 6:
        if (random_() % 4 == 0) REQUIRE(board().clear());
        break;
      case 7:
        if (random_() % 4 == 0) REQUIRE(board().reset());
        break;
      case 8:
        if (folder_) start();
        break;
      case 9: open({{"ranking", word(kEveryRanking[random_() % kEveryRanking.size()])}}); break;
      case 10: change_cohorts(); break;
      case 11: rename(id); break;
      case 12:
        if (!folder_ && random_() % 4 == 0) move_to_another_registry();
        break;
      case 13: (void)board().set_data(id, random_() % 2 == 0 ? "some" : "other"); break;
      case 14: registry_->tick(); break;
      case 15: submit_some(); break;
      case 16:
        if (random_() % 4 == 0) REQUIRE(board().mark());
        break;
      case 17: open({{"archive", static_cast<double>(random_() % 3)}}); break;
      case 18:
        if (random_() % 4 == 0) open({{"segments", random_() % 2 == 0 ? "clan" : "country"}});
        break;
      case 19:
      case 20:
      case 21: REQUIRE(board().remove(id)); break;
      case 22: (void)board().submit(WriteMode::add, {.player = id, .score = 1}); break;
      case 23: (void)board().set({.player = id, .score = score()}); break;
      case 24:
      case 25:
      case 26:
      case 27: change_attribute(id); break;
      default: {
        Submission result{.player = id, .score = score()};
        if (random_() % 8 == 0) result.at = 500 + static_cast<double>(random_() % 4);
        (void)board().submit(WriteMode::submit, result);
      }
    }
    follow_season();
    follow(id);
  }

  // The players on the board enter again, in the order of their moments.
  void set_cohorts(const CohortsField& field) {
    open({{"cohorts", field ? FieldValue(std::string_view(*field)) : FieldValue(false)}});
    if (field == field_) return;
    field_ = field;
    cohorts_ = {};
    if (!field) return;
    cohorts_.size = std::stoul(*field);
    if (const auto comma = field->find(','); comma != std::string::npos) {
      cohorts_.by = field->substr(comma + 1);
    }
    Entries all;
    board().read(0, SIZE_MAX, all);
    std::vector<std::pair<Time, std::string>> order;
    for (const Entry& entry : all) order.emplace_back(entry.at, entry.player);
    std::sort(order.begin(), order.end());
    for (const auto& [at, id] : order) cohorts_.enter(id, value_of(id));
  }

  void change_cohorts() {
    constexpr std::array<std::string_view, 5> kFields = {"2", "3", "10", "2,clan", "4,country"};
    if (random_() % 4 == 0) return set_cohorts(std::nullopt);
    set_cohorts(std::string(kFields[random_() % kFields.size()]));
  }

  void change_attribute(const std::string& id) {
    const std::string name = random_() % 2 == 0 ? "country" : "clan";
    const bool is_off = random_() % 4 == 0;
    const std::string value = random_() % 2 == 0 ? "DE" : fmt::format("v{}", random_() % 4);
    AttributeChanges changes;
    REQUIRE(changes.add(name, is_off ? std::nullopt : std::optional<std::string_view>(value)));
    REQUIRE(registry_->profiles().save(
        {.id = id, .name = {}, .email = {}, .attributes = changes.text()}, *now_));
    attributes_[id][name] = is_off ? "" : value;
  }

  void submit_some() {
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(player());
    std::vector<Submission> submissions;
    for (const std::string& id : ids) submissions.push_back({.player = id, .score = score()});
    board().submit_all(submissions, [](std::size_t, const Refusal&) {});
    for (const std::string& id : ids) follow(id);
  }

  void forget(const std::string& id) {
    REQUIRE(registry_->forget(id));
    attributes_.erase(id);
    cohorts_.forget(id);
    for (auto& [season, cohorts] : past_) cohorts.forget(id);
  }

  void rename(const std::string& from) {
    const std::string to = player();
    const Result<bool> renamed = registry_->rename(from, to);
    if (!renamed || !*renamed) return;
    if (const auto moved = attributes_.extract(from)) attributes_[to] = moved.mapped();
    cohorts_.rename(from, to);
    for (auto& [season, cohorts] : past_) cohorts.rename(from, to);
  }

  void move_to_another_registry() {
    const test::Folder folder;
    REQUIRE(export_registry(*registry_, folder / "export"));
    start();
    const Status imported = import_registry(*registry_, folder / "export");
    if (!imported) FAIL(imported.refusal().text());
  }

  void compare() {
    for (const std::uint64_t season : board().seasons()) {
      CAPTURE(season);
      if (season == season_) {
        compare(season, cohorts_, board(), board().spec().ranking);
      } else {
        const ArchivedSeason& past = *board().archived(season);
        compare(season, past_.at(season), past, past.spec().ranking);
      }
    }
  }

  void compare(std::uint64_t season, const NaiveCohorts& wanted, const Standings& all,
               Ranking ranking) {
    const auto found = board().cohorts(season);
    REQUIRE(static_cast<bool>(found) == (wanted.size > 0));
    if (!found) return;
    const BoardCohorts& cohorts = **found;
    cohorts.check();
    REQUIRE(cohorts.size() == wanted.count);
    for (int i = 0; i < kPlayers; ++i) {
      const std::string id = fmt::format("p{}", i);
      CAPTURE(id);
      const auto place = wanted.place.find(id);
      REQUIRE(cohorts.number_of(id) == (place == wanted.place.end() ? 0 : place->second));
    }
    Entries entries;
    all.read(0, SIZE_MAX, entries);
    std::map<std::size_t, std::vector<Line>> lines;
    for (const Entry& entry : entries) {
      const auto place = wanted.place.find(std::string(entry.player));
      REQUIRE(place != wanted.place.end());
      lines[place->second].push_back(line_of(entry));
    }
    // Some are read again, some have what they read before.
    for (std::size_t number = 1; number <= wanted.count + 1; ++number) {
      CAPTURE(number);
      if (random_() % 4 == 0) continue;
      compare_part(
          cohorts.board(static_cast<std::uint32_t>(number)), lines[number], all, ranking,
          [&cohorts](Entries& part) { cohorts.rank_overall(part); }, random_);
    }
  }

  std::mt19937_64 random_;
  std::shared_ptr<Time> now_;
  std::unique_ptr<test::Folder> folder_;
  std::unique_ptr<Registry> registry_;
  std::map<std::string, std::map<std::string, std::string>> attributes_;
  CohortsField field_;
  std::uint64_t season_ = 1;
  NaiveCohorts cohorts_;
  std::map<std::uint64_t, NaiveCohorts> past_;
};

std::vector<std::pair<std::string_view, Fields>> engines_with_cohorts() {
  return {{"ranked", {}}, {"sharded", {{"engine", "sharded"}, {"shards", 3.0}}}};
}

// What the field is after it was taken, or why it was not.
std::string taken(const FieldValue& value) {
  SpecChange change;
  if (const Status status = change.set("cohorts", value); !status) {
    return std::string(status.refusal().text());
  }
  return change.create()->cohorts;
}

std::uint32_t number_of(const Board& board, std::string_view player) {
  return (*board.cohorts())->number_of(player);
}

std::string table_of(const Board& board, std::uint32_t number) {
  return table((*board.cohorts())->board(number));
}

}  // namespace

TEST_CASE("cohorts are who came one after another, ranked among themselves") {
  std::uint64_t seed = 0;
  for (const bool durable : {false, true}) {
    for (const auto& kind : engines_with_cohorts()) {
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
          CohortGame(seed, all, durable).run(short_or_long(durable ? 150 : 400, 32'000));
        }
      }
    }
  }
}

TEST_CASE("the field takes a size, and a size with an attribute") {
  CHECK(taken(50.0) == "50");
  CHECK(taken("50") == "50");
  CHECK(taken("030,league") == "30,league");
  CHECK(taken("30,a,b") == "30,a,b");
  CHECK(taken(false).empty());
  CHECK(taken(1.0) ==
        "invalid: field 'cohorts' is 1; it takes the size of a cohort, 2 to 1000 players, also "
        "with the name of an attribute: size and by; or false for none");
  for (const FieldValue& bad :
       std::vector<FieldValue>{true, 1001.0, 2.5, -1.0, 1e300, "", ",league", "1,league", "30,",
                               "3x", " 3", std::string_view("30,\0", 4)}) {
    CHECK(taken(bad).starts_with("invalid: field 'cohorts' is "));
  }
}

TEST_CASE("cohorts are of ranked boards, and of ranked shards") {
  Fixture game;
  for (const std::string_view engine : {"capped", "padded", "paged", "rolling"}) {
    CHECK(refusal_of(game, {{"engine", engine}, {"cohorts", 50.0}})
              .starts_with("invalid: field 'cohorts' belongs to engine \"ranked\" or \"sharded\""));
    CHECK(verdict(game.board(engine, {{"engine", engine}}).cohorts()) == "unsupported");
  }
  CHECK(refusal_of(game, {{"engine", "sharded"}, {"of", "paged"}, {"cohorts", 50.0}}) ==
        "invalid: field 'cohorts' belongs to shards of engine \"ranked\"; these are of \"paged\"");
  CHECK(verdict(game.board("b").cohorts()) == "unknown");
  CHECK(verdict(game.board("b").cohorts(7)) == "unknown");
}

TEST_CASE("a refused result gives no place, and one that is worse keeps it") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 2.0}, {"join", "required"}});
  CHECK_FALSE(board.submit(WriteMode::submit, result("ada", 5)));
  CHECK(number_of(board, "ada") == 0);
  for (const char* const id : {"bea", "ada", "cleo"}) {
    REQUIRE(board.join(result(id, 3), true));
    REQUIRE(board.submit(WriteMode::submit, result(id, 1)));
  }
  CHECK(number_of(board, "bea") == 1);
  CHECK(number_of(board, "ada") == 1);
  CHECK(number_of(board, "cleo") == 2);
  CHECK(table_of(board, 1) == "1 bea 3, 1 ada 3");
}

TEST_CASE("a player who leaves keeps the place, and a forgotten one frees it") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 2.0}});
  play(game, board, {{"ada", 3}, {"bea", 2}, {"cleo", 1}});
  REQUIRE(board.remove("ada"));
  CHECK(number_of(board, "ada") == 1);
  CHECK(table_of(board, 1) == "1 bea 2");
  play(game, board, {{"dora", 4}, {"ada", 9}});
  CHECK(table_of(board, 1) == "1 ada 9, 2 bea 2");
  CHECK(table_of(board, 2) == "1 dora 4, 2 cleo 1");
  REQUIRE(game.registry->forget("cleo"));
  CHECK(number_of(board, "cleo") == 0);
  play(game, board, {{"emma", 5}, {"cleo", 6}});
  CHECK(number_of(board, "emma") == 2);
  CHECK(number_of(board, "cleo") == 3);
}

TEST_CASE("a cohort whose last player was forgotten is no longer filled") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", "2,league"}});
  save_attribute(game, "ada", "league", "gold");
  save_attribute(game, "bea", "league", "gold");
  play(game, board, {{"ada", 1}});
  REQUIRE(game.registry->forget("ada"));
  play(game, board, {{"bea", 1}});
  CHECK(number_of(board, "bea") == 2);
  CHECK((*board.cohorts())->size() == 2);
}

TEST_CASE("the value at the first result counts, and numbers run through all values") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", "2,league"}});
  for (const char* const id : {"a", "c", "e"}) save_attribute(game, id, "league", "gold");
  play(game, board, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}});
  const auto numbers = [&] {
    std::string text;
    for (const char* const id : {"a", "b", "c", "d", "e", "f"}) {
      text += fmt::format("{} ", number_of(board, id));
    }
    return text;
  };
  CHECK(numbers() == "1 2 1 2 3 4 ");
  save_attribute(game, "a", "league", "silver");
  save_attribute(game, "f", "league", "gold");
  play(game, board, {{"a", 2}, {"f", 2}});
  CHECK(numbers() == "1 2 1 2 3 4 ");
}

TEST_CASE("a past season keeps its cohorts, and the next one begins again") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 2.0}});
  play(game, board, {{"ada", 3}, {"bea", 2}, {"cleo", 1}});
  REQUIRE(board.remove("bea"));
  REQUIRE(board.reset());
  CHECK((*board.cohorts())->size() == 0);
  play(game, board, {{"cleo", 1}});
  CHECK(number_of(board, "cleo") == 1);
  const BoardCohorts& past = **board.cohorts(1);
  CHECK(past.size() == 2);
  CHECK(past.number_of("bea") == 1);
  CHECK(past.number_of("cleo") == 2);
  CHECK(table(past.board(1)) == "1 ada 3");
  game.open("b", {{"cohorts", false}});
  CHECK(table((*board.cohorts(1))->board(2)) == "1 cleo 1");
  CHECK(verdict(board.cohorts()) == "unknown");
  REQUIRE(board.reset());
  CHECK(board.cohorts(2).refusal().text() == "unknown: season 2 of board \"b\" had no cohorts");
}

TEST_CASE("a window of a cohort follows the running season, and is empty without cohorts") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 2.0}});
  play(game, board, {{"ada", 3}, {"bea", 2}, {"cleo", 1}});
  const auto players = [&](std::uint32_t number) {
    const std::shared_ptr<Window> window = top_window(board, cohort_name(number), 10, {});
    std::string text;
    for (const WindowEntry& entry : window->entries) text += entry.player + " ";
    return text;
  };
  CHECK(players(1) == "ada bea ");
  CHECK(top_window(board, cohort_name(2), 10, {})->size == 1);
  CHECK(window_around(board, cohort_name(1), "bea", 1, {})->entries.size() == 2);
  REQUIRE(board.reset());
  CHECK(players(1).empty());
  play(game, board, {{"dora", 3}});
  CHECK(players(1) == "dora ");
  const std::uint64_t version = board.version();
  game.open("b", {{"cohorts", false}});
  CHECK(board.version() > version);
  CHECK(players(1).empty());
  CHECK(name_of_segment("b", cohort_name(17)) == "b:cohort=17");
}

TEST_CASE("beyond the most values a player is in no cohort") {
  Players players{HashSecret::fixed(1)};
  PlaceTable places(players, 2);
  const auto enter = [&](std::string_view id, std::string_view value) {
    const PlaceTable::Next next = places.next(value, 2);
    if (next.cohort != 0) places.enter({id, players.find(id)}, next.cohort);
    return next.cohort;
  };
  CHECK(enter("a", "DE") == 1);
  CHECK(enter("b", "") == 2);
  CHECK(enter("c", "FR") == 0);
  CHECK(enter("d", "DE") == 1);
  CHECK(enter("e", "DE") == 3);
  std::optional<std::string> value;
  CHECK(places.erase(players.find("b"), value));
  CHECK(value == "");
  CHECK(enter("c", "FR") == 4);
  CHECK_FALSE(places.erase(players.find("b"), value));
  CHECK(players.size() == 4);
  while (places.dismantle(1)) {
  }
  CHECK(players.size() == 0);
}

TEST_CASE("a board with cohorts is submitted to by one thread") {
  Fixture game;
  Board& board = game.board("b", {{"engine", "sharded"}});
  CHECK(board.is_concurrent());
  game.open("b", {{"cohorts", 50.0}});
  CHECK_FALSE(board.is_concurrent());
  game.open("b", {{"cohorts", false}});
  CHECK(board.is_concurrent());
}

TEST_CASE("a loop over a cohort visits each player who stays once, whatever the loop writes") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 25.0}, {"keep", "latest"}});
  for (int i = 0; i < 50; ++i) play(game, board, {{fmt::format("p{}", i), i}});
  std::multiset<std::string> visited;
  EntryCursor cursor((*board.cohorts())->board(2), 0);
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
  for (int i = 25; i < 50; ++i) CHECK(visited.count(fmt::format("p{}", i)) == 1);
}

TEST_CASE("a loop over a past season's cohort ends when the season is dropped") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 2.0}, {"archive", 1.0}});
  play(game, board, {{"ada", 3}, {"bea", 2}});
  REQUIRE(board.reset());
  EntryCursor cursor((*board.cohorts(1))->board(1), 0);
  Entries visited;
  REQUIRE(cursor.next(visited));
  CHECK(table(visited) == "1 ada 3");
  game.open("b", {{"archive", 0.0}});
  visited.clear();
  (void)cursor.next(visited);
  CHECK(visited.empty());
}

TEST_CASE("former cohorts are freed in steps, and their players let go") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", 3.0}, {"archive", 0.0}});
  constexpr int kMany = 6000;
  for (int i = 0; i < kMany; ++i) {
    (void)board.submit(WriteMode::submit, result(fmt::format("p{}", i), i));
  }
  REQUIRE(board.clear());
  CHECK((*board.cohorts())->size() == kMany / 3);
  CHECK(game.registry->stats().reclaiming > 0);
  const auto reclaim = [&] {
    for (int tick = 0; tick < 5000 && game.registry->stats().reclaiming > 0; ++tick) {
      game.registry->tick();
    }
  };
  reclaim();
  CHECK(game.registry->stats().players == kMany);
  REQUIRE(board.reset());
  reclaim();
  CHECK(game.registry->stats().players == 0);
}

TEST_CASE("an export with cohorts that cannot be is refused") {
  Fixture game;
  Board& board = game.board("b", {{"cohorts", "2,league"}});
  save_attribute(game, "ada", "league", "gold");
  play(game, board, {{"ada", 3}, {"bea", 2}});
  const test::Folder folder;
  REQUIRE(export_registry(*game.registry, folder / "export"));
  std::ostringstream read;
  read << std::ifstream(folder / "export").rdbuf();
  const std::string text = read.str();
  const auto told = [&](std::string_view line, std::string_view instead) {
    std::string other = text;
    const std::size_t at = other.find(line);
    CAPTURE(line);
    REQUIRE(at != std::string::npos);
    other.replace(at, line.size(), instead);
    folder.write("other", other);
    Fixture empty;
    const Status imported = import_registry(*empty.registry, folder / "other");
    return imported ? "ok" : std::string(imported.refusal().text());
  };
  CHECK(told("{\"cohorts\":2}", "{\"cohorts\":2}") == "ok");
  CHECK(told("{\"cohorts\":2}", "{\"cohorts\":1}").find("cohort 2") != std::string::npos);
  CHECK(told("{\"cohorts\":2}", "{\"cohorts\":-1}").starts_with("bad_data: line "));
  CHECK(told("{\"cohorts\":2}", "{\"cohorts\":4000000000}").starts_with("bad_data: line "));
  CHECK(told("\"cohort\":1,\"value\":\"gold\"", "\"cohort\":2,\"value\":\"gold\"")
            .starts_with("bad_data: line "));
  CHECK(told("\"player\":\"bea\",\"cohort\":2", "\"player\":\"ada\",\"cohort\":2")
            .starts_with("bad_data: line "));
  CHECK(told(",\"cohorts\":\"2,league\"", "").starts_with("bad_data: line "));
}

}  // namespace laurel
