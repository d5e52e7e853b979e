// Loops over the entries of a board that the loop's body changes.
#include "board/standings/entry_cursor.h"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "board/every_engine.h"
#include "board/fixture.h"
#include "long_form.h"

namespace laurel {

namespace {

std::vector<EngineFields> kinds() {
  std::vector<EngineFields> all = every_engine();
  all.push_back({"capped, full", {{"engine", "capped"}, {"cap", 12.0}, {"reserve", 5.0}}});
  return all;
}

// One loop, whose body makes random changes.
class Loop {
 public:
  Loop(const EngineFields& kind, std::uint64_t seed) : random_(seed) {
    Fields fields = kind.fields;
    fields.emplace_back("order", seed % 2 == 0 ? "desc" : "asc");
    fields.emplace_back("ties", pick({"earliest", "latest", "player", "player_desc"}));
    fields.emplace_back("ranking",
                        pick({"competition", "modified", "dense", "ordinal", "fractional"}));
    is_rolling_ = kind.name == "rolling";
    if (!is_rolling_) fields.emplace_back("keep", "latest");
    handle_ = game_.open("b", fields);
    for (std::uint64_t i = 0, n = random_() % 40; i < n; ++i) change_score();
  }

  void run() {
    Entries all;
    board().read(0, SIZE_MAX, all);
    const std::size_t first = random_() % 4 == 0 ? random_() % (all.size() + 2) : 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      (i < first ? before_ : staying_).insert(std::string(all[i].player));
    }
    EntryCursor cursor(board(), first);
    const std::size_t changes = random_() % 4;
    for (int steps = 0;; ++steps) {
      REQUIRE(steps < 1000);
      Entries entry;
      REQUIRE(cursor.next(entry));
      if (entry.empty()) break;
      visit(entry.front());
      for (std::size_t i = random_() % (changes + 1); i > 0; --i) change(entry.front());
    }
    for (const std::string& player : staying_) {
      CAPTURE(player);
      CHECK(visits_[player] == 1);
    }
    for (const std::string& player : before_) {
      CAPTURE(player);
      CHECK(visits_[player] == 0);
    }
  }

 private:
  Board& board() { return *game_.registry->get(handle_); }
  std::string_view pick(std::initializer_list<std::string_view> words) {
    return words.begin()[random_() % words.size()];
  }
  std::string anyone() { return fmt::format("p{}", random_() % 45); }
  double any_score() { return static_cast<double>(random_() % 12); }

  void visit(const Entry& entry) {
    const std::string player(entry.player);
    CAPTURE(player);
    const std::optional<Entry> held = board().get(player);
    REQUIRE(held);
    CHECK(entry.score == held->score);
    CHECK(entry.at == held->at);
    CHECK(entry.rank == held->rank);
    CHECK(++visits_[player] == 1);
  }

  void change_score(const std::string& player) {
    *game_.now += kSecond;
    if (is_rolling_) {
      const double days = static_cast<double>(random_() % 3);
      const Submission activity{.player = player,
                                .score = any_score() - 3,
                                .at = seconds_from_time(*game_.now) - days * 86'400};
      (void)board().submit(WriteMode::add, activity);
    } else {
      (void)board().submit(WriteMode::submit, result(player, any_score()));
    }
  }
  void change_score() { change_score(anyone()); }

  void change(const Entry& visited) {
    const std::string here(visited.player);
    const std::string other = anyone();
    switch (random_() % 24) {
      case 0: (void)board().remove(other); break;
      case 1: (void)board().remove(here); break;
      case 2: (void)board().ban(other); break;
      case 3: (void)board().unban(other); break;
      case 4: (void)game_.registry->forget(other); break;
      case 5:
        if (is_rolling_) *game_.now += 86'400 * kSecond;
        break;
      case 6:
        if (random_() % 20 == 0) (void)board().clear();
        break;
      case 7:
        if (random_() % 20 == 0) (void)board().reset();
        break;
      case 8:
        (void)board().remove(here);
        change_score(here);
        break;
      case 9: {
        const std::vector<std::string> players = {anyone(), anyone(), anyone()};
        std::vector<Submission> batch;
        for (const std::string& player : players) batch.push_back(result(player, any_score()));
        board().submit_all(batch, [](std::size_t, const Refusal&) {});
        break;
      }
      case 10:
      case 11:
      case 12:
      case 13:
      case 14: change_score(here); break;
      default: change_score(other); break;
    }
    const auto is_away = [&](const std::string& player) { return !board().score(player); };
    std::erase_if(staying_, is_away);
    std::erase_if(before_, is_away);
  }

  std::mt19937_64 random_;
  Fixture game_;
  BoardHandle handle_;
  bool is_rolling_ = false;
  std::set<std::string> staying_;  // on the board from the start until now, and to be visited
  std::set<std::string> before_;   // on the board from the start until now, before the first one
  std::map<std::string, int> visits_;
};

std::string loop(const Board& board, const std::function<void(const Entry&)>& body) {
  EntryCursor cursor(board, 0);
  std::string seen;
  for (int steps = 0; steps < 1000; ++steps) {
    Entries entry;
    REQUIRE(cursor.next(entry));
    if (entry.empty()) return seen;
    seen += fmt::format("{}{}", seen.empty() ? "" : " ", entry.front().player);
    body(entry.front());
  }
  return "without end: " + seen;
}

}  // namespace

TEST_CASE("a loop visits each player once whose entry its body raises, on every engine") {
  for (const EngineFields& kind : kinds()) {
    CAPTURE(kind.name);
    Fixture game;
    const bool is_capped = kind.name.starts_with("capped");
    const bool is_rolling = kind.name == "rolling";
    Fields fields = kind.fields;
    if (!is_rolling) fields.emplace_back("keep", is_capped ? "latest" : "sum");
    Board& board = game.board("b", fields);
    play(game, board, {{"a", 3}, {"b", 2}, {"c", 1}});
    CHECK(loop(board, [&](const Entry& entry) {
            const double score = is_capped ? entry.score + 100 : 100;
            REQUIRE(board.submit(WriteMode::submit, result(std::string(entry.player), score)));
          }) == "a b c");
  }
}

TEST_CASE("a loop visits each player once whose entry its body lowers, on every engine") {
  for (const EngineFields& kind : kinds()) {
    CAPTURE(kind.name);
    Fixture game;
    Fields fields = kind.fields;
    const bool is_rolling = kind.name == "rolling";
    if (!is_rolling) fields.emplace_back("keep", "latest");
    Board& board = game.board("b", fields);
    play(game, board, {{"a", 8}, {"b", 7}, {"c", 6}, {"d", 1}});
    CHECK(loop(board, [&](const Entry& entry) {
            const double half = is_rolling ? -entry.score / 2 : entry.score / 2;
            const WriteMode mode = is_rolling ? WriteMode::add : WriteMode::submit;
            REQUIRE(board.submit(mode, result(std::string(entry.player), std::floor(half))));
          }) == "a b c d");
  }
}

TEST_CASE("a loop visits each player once, whatever its body changes, on every engine") {
  for (const EngineFields& kind : kinds()) {
    CAPTURE(kind.name);
    for (std::uint64_t seed = 0; seed < short_or_long(100U, 400U); ++seed) {
      CAPTURE(seed);
      Loop(kind, seed).run();
    }
  }
}

TEST_CASE("a loop visits last who rose past it") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "latest"}});
  play(game, board, {{"a", 5}, {"b", 4}, {"c", 3}, {"d", 2}});
  CHECK(loop(board, [&](const Entry& entry) {
          if (entry.player == "b") play(game, board, {{"d", 9}});
        }) == "a b c d");
}

TEST_CASE("a loop ends when its board is dropped or its season is trimmed") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"a", 2}, {"b", 1}});
  EntryCursor cursor(board, 0);
  REQUIRE(board.reset());
  play(game, board, {{"c", 3}});
  EntryCursor past(*board.archived(1), 0);
  Entries entries;
  REQUIRE(past.next(entries));
  CHECK(table(entries) == "1 a 2");
  REQUIRE(game.registry->forget("a"));
  entries.clear();
  REQUIRE(past.next(entries));
  CHECK(table(entries) == "1 b 1");
  REQUIRE(board.reset());
  REQUIRE(game.registry->drop("b"));
  entries.clear();
  REQUIRE(past.next(entries));
  REQUIRE(cursor.next(entries));
  CHECK(entries.empty());
}

TEST_CASE("a loop over a padded board reads each key a bounded number of times") {
  constexpr std::size_t kPlayers = 500;
  for (const std::string_view ranking : {"competition", "modified", "ordinal", "fractional"}) {
    for (const std::string_view engine : {"padded", "sharded"}) {
      CAPTURE(ranking);
      CAPTURE(engine);
      Fixture game;
      Fields fields = {{"engine", engine}, {"keep", "latest"}, {"ranking", ranking}};
      if (engine == "sharded") fields.insert(fields.end(), {{"of", "padded"}, {"shards", 2.0}});
      Board& board = game.board("b", fields);
      for (std::size_t i = 0; i < kPlayers; ++i) {
        (void)board.submit(WriteMode::submit,
                           result(fmt::format("p{}", i), static_cast<double>(i / 3)));
      }
      const std::uint64_t before = game.registry->stats().reads.entries;
      std::size_t visited = 0;
      EntryCursor cursor(board, 0);
      for (;; ++visited) {
        Entries entry;
        REQUIRE(cursor.next(entry));
        if (entry.empty()) break;
        const std::string player(entry.front().player);
        (void)board.submit(WriteMode::submit, result(player, entry.front().score + 1000));
      }
      CHECK(visited == kPlayers);
      CHECK(game.registry->stats().reads.entries - before < 12 * kPlayers);
    }
  }
}

TEST_CASE("of too many loops the one that was not used for the longest time ends") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"a", 2}, {"b", 1}});
  std::vector<std::unique_ptr<EntryCursor>> cursors;
  const auto begin = [&] { cursors.push_back(std::make_unique<EntryCursor>(board, 0)); };
  while (cursors.size() < kCursorsMax) begin();
  Entries entries;
  REQUIRE(cursors[0]->next(entries));
  begin();
  begin();
  CHECK(verdict(cursors[1]->next(entries)) == "unavailable");
  CHECK(verdict(cursors[2]->next(entries)) == "unavailable");
  entries.clear();
  REQUIRE(cursors[0]->next(entries));
  REQUIRE(cursors.back()->next(entries));
  CHECK(table(entries) == "2 b 1, 1 a 2");
}

}  // namespace laurel
