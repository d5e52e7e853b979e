// Plays every goal of men's international football, and compares the tables of all engines with
// each other and with sums taken from the file. The file is LAUREL_GOALSCORERS, next to the
// project; without it the tests print a message and pass.
#include <charconv>
#include <chrono>
#include <fstream>
#include <map>

#include <doctest/doctest.h>

#include "board/fixture.h"

namespace laurel {

namespace {

struct Goal {
  Time at = 0;
  std::string scorer;
};

// The fields of one line. A quoted field may contain commas, and "" for a quote.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Time day_of(std::string_view date) {
  using namespace std::chrono;
  const year_month_day day{year(number(date.substr(0, 4))),
                           month(static_cast<unsigned>(number(date.substr(5, 2)))),
                           std::chrono::day(static_cast<unsigned>(number(date.substr(8, 2))))};
  return sys_days(day).time_since_epoch().count() * kDay;
}

int year_of(Time at) {
  using namespace std::chrono;
  return int(year_month_day(floor<days>(sys_time<microseconds>(microseconds(at)))).year());
}

Time new_year(int year) { return day_of(fmt::format("{:04}-01-01", year)); }

// Own goals and scorers named NA do not count.
std::vector<Goal> read_goals() {
  std::vector<Goal> goals;
  std::ifstream file(LAUREL_GOALSCORERS);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    REQUIRE(fields.size() == 8);
    if (fields[4] == "NA" || fields[6] == "TRUE") continue;
    const Time minute = number(fields[5]) * 60 * kSecond;
    goals.push_back({day_of(fields[0]) + minute, fields[4]});
  }
  return goals;
}

using Sums = std::map<std::string, double>;

Sums sums_of(const std::vector<Goal>& goals, Time from, Time before) {
  Sums sums;
  for (const Goal& goal : goals) {
    if (goal.at >= from && goal.at < before) sums[goal.scorer] += 1;
  }
  return sums;
}

Sums sums_of(const Standings& standings) {
  Entries entries;
  standings.read(0, SIZE_MAX, entries);
  Sums sums;
  for (const Entry& entry : entries) sums[std::string(entry.player)] = entry.score;
  return sums;
}

void play(Fixture& game, std::string_view name, const Goal& goal) {
  *game.now = std::max(*game.now, goal.at);
  const Result<Outcome> outcome =
      game.registry->get(*game.registry->find(name))
          ->submit(WriteMode::submit,
                   {.player = goal.scorer, .score = 1, .at = seconds_from_time(goal.at)});
  if (!outcome) FAIL(outcome.refusal().text());
}

// A registry whose clock starts before the first goal.
struct Football : Fixture {
  Football() { *now = new_year(1916); }
};

}  // namespace

TEST_CASE("all goals since 1916 make the same table on every engine") {
  const std::vector<Goal> goals = read_goals();
  if (goals.empty()) {
    MESSAGE("skipped: no file " LAUREL_GOALSCORERS);
    return;
  }
  const std::vector<std::pair<std::string_view, Fields>> engines = {
      {"ranked", {}},
      {"sharded", {{"engine", "sharded"}}},
      {"paged", {{"engine", "paged"}}},
      {"padded", {{"engine", "padded"}}},
      {"sharded of paged", {{"engine", "sharded"}, {"of", "paged"}, {"shards", 3.0}}}};
  const Sums truth = sums_of(goals, INT64_MIN, INT64_MAX);
  REQUIRE(truth.size() > 14'000);

  Football game;
  std::string first_table;
  for (const auto& [name, of_engine] : engines) {
    CAPTURE(name);
    Fields fields = {{"keep", "sum"}, {"decimals", 0.0}, {"ties", "earliest"}};
    fields.insert(fields.end(), of_engine.begin(), of_engine.end());
    Board& board = game.board(name, fields);
    for (const Goal& goal : goals) play(game, name, goal);
    CHECK(sums_of(board) == truth);
    const std::string whole = table(board);
    if (first_table.empty()) first_table = whole;
    CHECK(whole == first_table);
  }
  CHECK(first_table.starts_with("1 Cristiano Ronaldo 124, 2 Harry Kane 75, 3 Lionel Messi 71"));
}

TEST_CASE("S2-3, S2-16: a board of the last 365 days agrees with the file at every year's end") {
  const std::vector<Goal> goals = read_goals();
  if (goals.empty()) {
    MESSAGE("skipped: no file " LAUREL_GOALSCORERS);
    return;
  }
  Football game;
  game.open("year", {{"engine", "rolling"}, {"days", 365.0}, {"decimals", 0.0}});
  std::size_t next = 0;
  const int last_year = year_of(goals.back().at);
  for (int year = 1916; year <= last_year; ++year) {
    CAPTURE(year);
    const Time end = new_year(year + 1);
    for (; next < goals.size() && goals[next].at < end; ++next) play(game, "year", goals[next]);
    *game.now = end - 1;
    CHECK(sums_of(game.board("year")) == sums_of(goals, end - 365 * kDay, end));
  }
  *game.now += 400 * kDay;
  CHECK(game.board("year").size() == 0);
}

TEST_CASE("a board reset every 1 January agrees with the file at every year's end") {
  const std::vector<Goal> goals = read_goals();
  if (goals.empty()) {
    MESSAGE("skipped: no file " LAUREL_GOALSCORERS);
    return;
  }
  for (const std::string_view engine : {"ranked", "paged", "padded", "sharded"}) {
    CAPTURE(engine);
    Football game;
    game.open("annual", {{"engine", engine},
                         {"keep", "sum"},
                         {"decimals", 0.0},
                         {"reset", "0 0 1 1 *"},
                         {"archive", 200.0}});
    for (const Goal& goal : goals) play(game, "annual", goal);
    *game.now = new_year(year_of(goals.back().at) + 1);

    const Board& board = game.board("annual");
    CHECK(board.size() == 0);
    std::size_t seasons = 0;
    for (int year = 1916; year <= year_of(goals.back().at); ++year) {
      CAPTURE(year);
      const Sums truth = sums_of(goals, new_year(year), new_year(year + 1));
      if (truth.empty()) continue;  // a year without a goal makes no season
      const ArchivedSeason* season = board.archived(++seasons);
      REQUIRE(season != nullptr);
      CHECK(season->season().ended == new_year(year + 1));
      CHECK(sums_of(*season) == truth);
    }
    CHECK(board.season().number == seasons + 1);
  }
}

}  // namespace laurel
