// Rolling boards whose days are those of a zone.
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "board/spec/field_value.h"
#include "board/spec/naive_cron.h"
#include "board/spec/spec_fields.h"
#include "fixture.h"
#include "folder.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

Fields active(double days, std::string_view zone) {
  return {{"engine", "rolling"}, {"days", days}, {"zone", zone}};
}

double seconds(Time at) { return seconds_from_time(at); }

// The local date of a moment, as a number. The clocks of these zones never go back over midnight.
std::int64_t naive_day(Time at, const Zone& zone) {
  const Time local = at + zone.offset(at);
  return local / kDay - (local % kDay < 0 ? 1 : 0);
}

// A rolling board on a disk, and every amount that it was given.
class LocalDayHistory {
 public:
  LocalDayHistory(std::string_view zone, int days, std::uint64_t seed)
      : random_(seed), zone_(*Zone::find(zone)), days_(days) {
    *time_ = midnight_of(2024, 1, 1) + below(330 * kDay);
    open("a");
    REQUIRE(registry_->open("b", spec(active(days, zone))));
  }

  void step() {
    switch (random_() % 16) {
      case 0: *time_ += below(3 * kDay); break;
      case 1: ban(); break;
      case 2: unban(); break;
      case 3:
        if (random_() % 4 == 0) reopen();
        break;
      case 4:
        if (random_() % 8 == 0) move();
        break;
      default: add();
    }
    *time_ += below(2 * kHour);
  }

  void compare() {
    for (int later = 0; later <= days_ + 1; ++later) {
      const Time at = *time_ + later * kDay - (later > 0 ? below(kDay) : 0);
      CAPTURE(later);
      const auto there = board().at(seconds(at));
      REQUIRE(there);
      REQUIRE(scores(**there) == naive(at));
    }
    REQUIRE(scores(board()) == naive(*time_));
    const Time before = zone_.first_at(naive_day(*time_, zone_) * kDay) - 1;
    REQUIRE(verdict(board().at(seconds(before))) == "outside_window");
  }

 private:
  using Scores = std::map<std::string, double>;
  struct Amount {
    std::string player;
    Time at;
    double amount;
  };

  Time below(Time end) { return static_cast<Time>(random_() % static_cast<std::uint64_t>(end)); }
  std::string any_player() { return fmt::format("p{}", random_() % 6); }
  Board& board() { return *registry_->get(*registry_->find("b")); }

  void open(const std::string& name) {
    RegistryOptions options;
    options.path = folder_ / name;
    options.clock = std::make_unique<SharedClock>(time_);
    options.log = journal_.log();
    Result<std::unique_ptr<Registry>> registry = Registry::open(std::move(options));
    if (!registry) FAIL(registry.refusal().text());
    registry_ = std::move(*registry);
    name_ = name;
  }
  void reopen() {
    registry_.reset();
    open(name_);
  }
  // Into another directory, as an export.
  void move() {
    const std::string file = folder_ / "export";
    std::filesystem::remove(file);
    REQUIRE(export_registry(*registry_, file));
    registry_.reset();
    open(name_ + "a");
    REQUIRE(import_registry(*registry_, file));
  }

  void add() {
    const std::string player = any_player();
    const auto amount = static_cast<double>(below(9)) - 3;
    Submission submission = result(player, amount);
    const bool late = random_() % 2 == 0;
    const Time at = late ? *time_ - below((days_ + 1) * kDay) : *time_;
    if (late) submission.at = seconds(at);
    const std::int64_t days_ago = naive_day(*time_, zone_) - naive_day(at, zone_);
    const std::string expected = banned_.contains(player) ? "banned"
                                 : days_ago >= days_      ? "outside_window"
                                                          : "ok";
    REQUIRE(verdict(board().submit(WriteMode::add, submission)) == expected);
    if (expected == "ok") amounts_.push_back({player, at, amount});
  }
  void ban() {
    const std::string player = any_player();
    REQUIRE(*board().ban(player) == banned_.insert(player).second);
  }
  void unban() {
    const std::string player = any_player();
    REQUIRE(*board().unban(player) == (banned_.erase(player) > 0));
  }

  static Scores scores(const Standings& board) {
    Entries entries;
    board.read(0, SIZE_MAX, entries);
    Scores scores;
    for (const Entry& entry : entries) scores[std::string(entry.player)] = entry.score;
    return scores;
  }
  Scores naive(Time at) const {
    const std::int64_t today = naive_day(at, zone_);
    Scores scores;
    for (const auto& [player, when, amount] : amounts_) {
      if (today - naive_day(when, zone_) < days_ && !banned_.contains(player)) {
        scores[player] += amount;
      }
    }
    std::erase_if(scores, [](const auto& each) { return each.second <= 0; });
    return scores;
  }

  std::mt19937_64 random_;
  test::Folder folder_;
  test::Journal journal_;
  std::shared_ptr<Time> time_ = std::make_shared<Time>(0);
  Zone zone_;
  int days_;
  std::string name_;
  std::unique_ptr<Registry> registry_;
  std::vector<Amount> amounts_;
  std::set<std::string> banned_;
};

}  // namespace

TEST_CASE(
    "a rolling board in a zone turns at the zone's midnight, on days of 23 and 25 hours too") {
  Fixture game;
  *game.now = midnight_of(2024, 3, 30) + 23 * kHour;  // the beginning of 2024-03-31 in Berlin
  Board& board = game.board("b", active(1, "Europe/Berlin"));
  CHECK(verdict(board.submit(WriteMode::add, result("ada", 1))) == "ok");
  *game.now = midnight_of(2024, 3, 31) + 22 * kHour - 1;
  CHECK(table(game.board("b")) == "1 ada 1");
  *game.now += 1;
  CHECK(game.board("b").size() == 0);

  *game.now = midnight_of(2024, 10, 26) + 22 * kHour;  // the beginning of 2024-10-27
  CHECK(verdict(game.board("b").submit(WriteMode::add, result("ada", 1))) == "ok");
  *game.now = midnight_of(2024, 10, 27) + 23 * kHour - 1;
  CHECK(table(game.board("b")) == "1 ada 1");
  *game.now += 1;
  CHECK(game.board("b").size() == 0);
}

TEST_CASE("activity is retracted from the local day that it was recorded on") {
  Fixture game;
  const Time noon = midnight_of(2024, 7, 10) + 12 * kHour;
  *game.now = noon;
  Board& board = game.board("b", active(2, "America/New_York"));
  const Time yesterday = midnight_of(2024, 7, 10) + 3 * kHour;  // 23:00 of the 9th
  const Time today = midnight_of(2024, 7, 10) + 5 * kHour;      // 01:00 of the 10th
  const auto add = [&](double amount, Time at) {
    return verdict(
        board.submit(WriteMode::add, {.player = "ada", .score = amount, .at = seconds(at)}));
  };
  CHECK(add(5, yesterday) == "ok");
  CHECK(add(2, today) == "ok");
  CHECK(add(-1, yesterday - kHour) == "ok");
  CHECK(table(board) == "1 ada 6");
  CHECK(table(**board.at(seconds(noon + kDay))) == "1 ada 2");
  CHECK(add(1, midnight_of(2024, 7, 9) + 4 * kHour - 1) == "outside_window");
  CHECK(add(1, midnight_of(2024, 7, 9) + 4 * kHour) == "ok");
}

TEST_CASE("the date that Apia left out is a day without activity") {
  Fixture game;
  const Zone apia = *Zone::find("Pacific/Apia");
  const Time after = apia.first_at(midnight_of(2011, 12, 31));
  *game.now = after - 1;
  Board& board = game.board("b", active(2, "Pacific/Apia"));
  CHECK(verdict(board.submit(WriteMode::add, result("ada", 1))) == "ok");
  CHECK(table(board) == "1 ada 1");
  *game.now = after;
  CHECK(game.board("b").size() == 0);  // the 29th is not of the 30th and 31st
}

TEST_CASE("the zone of a rolling board is of its stored order, and its buckets are days") {
  Fixture game;
  game.open("utc", {{"engine", "rolling"}, {"days", 3.0}});
  game.open("berlin", active(3, "Europe/Berlin"));
  const auto why_not = [&](std::string_view name, const Fields& fields) {
    const Result<BoardHandle> handle = game.registry->open(name, spec(fields));
    return handle ? "taken" : std::string(handle.refusal().message());
  };
  CHECK(why_not("utc", {{"zone", "UTC"}}) == "taken");
  CHECK(why_not("berlin", {{"zone", "Europe/Berlin"}, {"days", 3.0}}) == "taken");
  CHECK(
      why_not("utc", {{"zone", "Europe/Berlin"}}) ==
      "field 'zone' is \"Europe/Berlin\" and was \"UTC\": it describes the stored order and cannot "
      "change");
  CHECK(why_not("berlin", {{"zone", "UTC"}}).starts_with("field 'zone' is \"UTC\" and was"));
  CHECK(why_not("berlin", {{"days", 4.0}}).starts_with("field 'days' is 4 and was 3"));
  CHECK(why_not("berlin", {{"window.buckets", 3.0}}).starts_with("field 'window.buckets' is 3"));
  for (const double length : {3600.0, 86400.0}) {
    CHECK(
        why_not("new", {{"engine", "rolling"},
                        {"zone", "Europe/Berlin"},
                        {"window.buckets", 3.0},
                        {"window.seconds", length}}) ==
        "field 'window' is of equal buckets; a board in zone \"Europe/Berlin\" counts its days: it "
        "takes 'days'");
  }
  CHECK(why_not("new", {{"engine", "rolling"}, {"zone", "UTC"}, {"window.seconds", 60.0}}) ==
        "taken");
  std::string fields;
  each_field(game.board("berlin").spec(), [&](std::string_view field, const FieldValue& value) {
    if (field == "days" || field == "zone" || field.starts_with("window")) {
      fields += fmt::format("{} = {}; ", field, show(value));
    }
  });
  CHECK(fields == "days = 3; zone = \"Europe/Berlin\"; ");
}

TEST_CASE("an activity outside of the window is told the days and the zone") {
  Fixture game;
  Board& board = game.board("b", active(3, "Europe/Berlin"));
  const Result<Outcome> outcome =
      board.submit(WriteMode::add, {.player = "ada", .score = 1, .at = 5.0});
  REQUIRE_FALSE(outcome);
  CHECK(
      outcome.refusal().message() ==
      "the time 5.000000 is before the window; the board counts 3 days of zone \"Europe/Berlin\"");
}

TEST_CASE("random histories of rolling boards in zones agree with sums by local date") {
  constexpr std::array<std::string_view, 5> kZones = {"Europe/Berlin", "America/New_York",
                                                      "Australia/Lord_Howe", "Pacific/Chatham",
                                                      "Asia/Kolkata"};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const int days = seed % 4 == 0 ? 1 : static_cast<int>(2 + seed % 9);
    LocalDayHistory history(kZones[seed % kZones.size()], days, seed);
    for (int i = 0; i < 150; ++i) {
      history.step();
      if (i % 10 == 0) history.compare();
    }
  }
}

}  // namespace laurel
