// Seasons in a zone, and `duration`: the hours of a season in which results are taken.
#include <doctest/doctest.h>

#include "board/spec/naive_cron.h"
#include "fixture.h"
#include "folder.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

constexpr double kTwoHours = 7200;

// A board with a window of two hours each Saturday at 20:00 in Berlin. 2024-06-01 is a Saturday;
// 20:00 is 18:00 UTC.
const Fields kTournament = {
    {"reset", "0 20 * * 6"}, {"zone", "Europe/Berlin"}, {"duration", kTwoHours}, {"archive", 10.0}};
const Time kSaturday = midnight_of(2024, 6, 1) + 18 * kHour;
constexpr Time kRound = 7 * kDay;

struct Tournament : Fixture {
  explicit Tournament(Time at, const Fields& fields = kTournament) {
    *now = at;
    open("b", fields);
  }
  Board& weekly() { return *registry->get(*registry->find("b")); }
  std::string submit(std::string_view player, double score) {
    return verdict(weekly().submit(WriteMode::submit, result(player, score)));
  }
};

std::string refusal_of(const Fields& fields) {
  Fixture game;
  SpecChange change;
  for (const auto& [name, value] : fields) {
    if (const Status taken = change.set(name, value); !taken) {
      return std::string(taken.refusal().message());
    }
  }
  const Result<BoardHandle> handle = game.registry->open("b", change);
  return handle ? "taken" : std::string(handle.refusal().message());
}

}  // namespace

TEST_CASE("a season ends at the local time of its zone, in summer and in winter") {
  Fixture game;
  const Fields fields = {{"reset", "0 0 * * *"}, {"zone", "Europe/Berlin"}};
  *game.now = midnight_of(2024, 3, 30) + 12 * kHour;
  Board& board = game.board("b", fields);
  CHECK(board.resets_at() == midnight_of(2024, 3, 30) + 23 * kHour);
  *game.now = midnight_of(2024, 3, 31) + 12 * kHour;
  CHECK(game.board("b").resets_at() == midnight_of(2024, 3, 31) + 22 * kHour);
  CHECK(game.board("b").season().started == midnight_of(2024, 3, 30) + 23 * kHour);
}

TEST_CASE("the zone and the schedule of a board can be changed: the next reset is computed again") {
  Fixture game;
  *game.now = midnight_of(2024, 6, 1) + 12 * kHour;
  CHECK(game.board("b", {{"reset", "0 0 * * *"}}).resets_at() == midnight_of(2024, 6, 2));
  CHECK(game.board("b", {{"zone", "Asia/Tokyo"}}).resets_at() ==
        midnight_of(2024, 6, 1) + 15 * kHour);
  CHECK(game.board("b", {{"reset", "0 6 * * *"}}).resets_at() ==
        midnight_of(2024, 6, 1) + 21 * kHour);
  CHECK(game.board("b", {{"zone", "UTC"}}).resets_at() == midnight_of(2024, 6, 2) + 6 * kHour);
  CHECK(game.board("b", {{"meta", "x"}}).resets_at() == midnight_of(2024, 6, 2) + 6 * kHour);
}

TEST_CASE("with a duration results are taken from the reset until it is over, and then refused") {
  Tournament game(kSaturday);
  CHECK(game.weekly().season().started == kSaturday);
  CHECK(game.weekly().closes_at() == kSaturday + 2 * kHour);
  CHECK(game.submit("ada", 1) == "ok");
  *game.now = kSaturday + 2 * kHour - 1;
  CHECK(game.submit("bea", 2) == "ok");
  *game.now = kSaturday + 2 * kHour;
  CHECK(game.submit("cleo", 3) == "closed");
  *game.now = kSaturday + kRound - 1;
  CHECK(game.submit("cleo", 3) == "closed");
  CHECK(table(game.weekly()) == "1 bea 2, 2 ada 1");
  *game.now = kSaturday + kRound;
  CHECK(game.submit("cleo", 3) == "ok");
  CHECK(table(game.weekly()) == "1 cleo 3");
  CHECK(game.weekly().season().number == 2);
  CHECK(game.weekly().closes_at() == kSaturday + kRound + 2 * kHour);
  CHECK(game.weekly().archived(1)->season().started == kSaturday);
}

TEST_CASE("the first season of a board with a duration begins at the last time the cron was due") {
  CHECK(Tournament(kSaturday + 1).weekly().season().started == kSaturday);
  Tournament late(kSaturday + 2 * kHour);
  CHECK(late.weekly().season().started == kSaturday);
  CHECK(late.submit("ada", 1) == "closed");
  Tournament early(kSaturday - 1);
  CHECK(early.weekly().season().started == kSaturday - kRound);
  CHECK(early.submit("ada", 1) == "closed");
  *early.now = kSaturday;
  CHECK(early.submit("ada", 1) == "ok");
  CHECK(early.weekly().season().number == 1);
  Fixture without;
  CHECK(without.board("b", {{"reset", "0 20 * * 6"}}).season().started == Fixture::kStart);
}

TEST_CASE("after periods without a write, a season with a duration begins at the last reset") {
  Tournament game(kSaturday);
  CHECK(game.submit("ada", 1) == "ok");
  *game.now = kSaturday + 5 * kRound + kHour;
  CHECK(game.weekly().season().number == 2);
  CHECK(game.weekly().season().started == kSaturday + 5 * kRound);
  CHECK(game.submit("ada", 1) == "ok");
  *game.now = kSaturday + 9 * kRound + 3 * kHour;
  CHECK(game.weekly().season().number == 3);
  CHECK(game.weekly().closes_at() == kSaturday + 9 * kRound + 2 * kHour);
  CHECK(game.submit("ada", 1) == "closed");
}

TEST_CASE("a manual reset does not open a season again whose duration is over") {
  Tournament game(kSaturday + kHour);
  CHECK(game.submit("ada", 1) == "ok");
  CHECK(game.weekly().reset());
  CHECK(game.weekly().closes_at() == kSaturday + 2 * kHour);
  CHECK(game.submit("ada", 1) == "ok");
  *game.now = kSaturday + 3 * kHour;
  CHECK(game.weekly().reset());
  CHECK(game.weekly().season().number == 3);
  CHECK(game.submit("ada", 1) == "closed");
}

TEST_CASE("all ways to submit obey the duration, and a moderator's set passes") {
  Tournament game(kSaturday + 3 * kHour);
  Board& board = game.weekly();
  CHECK(verdict(board.submit(WriteMode::add, result("ada", 1))) == "closed");
  CHECK(verdict(board.submit_report(result("ada", 1))) == "closed");
  CHECK(verdict(board.join(result("ada", 1), true)) == "closed");
  CHECK(*board.join(result("ada", 0), false));  // the refused one did not join
  std::vector<std::string> refused;
  const std::vector<Submission> batch = {result("ada", 1), result("bea", 1)};
  CHECK(board.submit_all(batch, [&](std::size_t, const Refusal& refusal) {
    refused.emplace_back(word(refusal.code()));
  }) == 0);
  CHECK(refused == std::vector<std::string>{"closed", "closed"});
  game.board("open");
  const std::vector<std::string_view> names = {"open", "b"};
  std::vector<std::optional<double>> scores;
  const auto failed = game.registry->submit(names, result("ada", 1), scores);
  REQUIRE(failed);
  CHECK(failed->board == "b");
  CHECK(game.board("open").size() == 0);
  CHECK(verdict(board.set(result("ada", 7))) == "ok");
  CHECK(table(board) == "1 ada 7");
}

TEST_CASE("a batch to shards of several threads obeys the duration") {
  Fields fields = kTournament;
  fields.insert(fields.end(), {{"engine", "sharded"}, {"shards", 4.0}});
  Tournament game(kSaturday, fields);
  const std::vector<Submission> batch = {result("ada", 1), result("bea", 1)};
  std::size_t refused = 0;
  const auto count = [&](std::size_t, const Refusal&) { ++refused; };
  REQUIRE(game.weekly().is_concurrent());
  CHECK(game.weekly().submit_all(batch, count) == 2);
  *game.now = kSaturday + 2 * kHour;
  CHECK(game.weekly().submit_all(batch, count) == 0);
  CHECK(refused == 2);
}

TEST_CASE("a refusal says when the season closed, and when the next one begins") {
  Tournament game(kSaturday + 2 * kHour);
  const Result<Outcome> outcome = game.weekly().submit(WriteMode::submit, result("ada", 1));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.refusal().text() ==
        fmt::format("closed: board \"b\" closed at {}, until its next season begins at {}",
                    (kSaturday + 2 * kHour) / kSecond, (kSaturday + kRound) / kSecond));
}

TEST_CASE("closes_at is the earliest of the duration's end, the reset and `closes`") {
  Tournament game(kSaturday);
  const auto closes_at = [&](const Fields& fields) { return game.board("b", fields).closes_at(); };
  CHECK(closes_at({{"duration", 30.0 * 86400}}) == kSaturday + kRound);
  CHECK(closes_at({{"closes", static_cast<double>(kSaturday / kSecond + 60)}}) ==
        kSaturday + kMinute);
  CHECK(closes_at({{"closes", false}, {"duration", 0.5}}) == kSaturday + kSecond / 2);
  CHECK_FALSE(closes_at({{"duration", false}}));
}

TEST_CASE("a duration can be set, changed and removed while a season runs") {
  Tournament game(kSaturday + 3 * kHour, {{"reset", "0 20 * * 6"}, {"zone", "Europe/Berlin"}});
  CHECK(game.weekly().season().started == kSaturday + 3 * kHour);
  CHECK_FALSE(game.weekly().closes_at());
  CHECK(game.submit("ada", 1) == "ok");
  CHECK(game.board("b", {{"duration", kTwoHours}}).season().started == kSaturday);
  CHECK(game.submit("ada", 2) == "closed");
  CHECK(game.board("b", {{"duration", 2 * kTwoHours}}).closes_at() == kSaturday + 4 * kHour);
  CHECK(game.submit("ada", 3) == "ok");
  CHECK(game.board("b", {{"reset", "0 23 * * 6"}}).season().started == kSaturday + 3 * kHour);
  CHECK(game.board("b", {{"zone", "UTC"}}).season().started == kSaturday + 5 * kHour - kRound);
  CHECK(game.submit("ada", 4) == "closed");
  game.board("b", {{"duration", false}});
  CHECK(game.submit("ada", 5) == "ok");
  CHECK(game.weekly().season().number == 1);
}

TEST_CASE("a clock that goes back behind the season's start refuses nothing") {
  Tournament game(kSaturday);
  CHECK(game.submit("ada", 1) == "ok");
  *game.now = kSaturday + kRound;
  CHECK(game.weekly().season().number == 2);
  *game.now = kSaturday + kRound - kDay;
  CHECK(game.weekly().season().number == 2);
  CHECK(game.submit("bea", 1) == "ok");
}

TEST_CASE("bad zones and durations are refused, and the sentence says what is allowed") {
  CHECK(
      refusal_of({{"zone", "Europe/Berlim"}}) ==
      "field 'zone' is \"Europe/Berlim\": the system's zone data has no zone of that name; did you "
      "mean \"Europe/Berlin\"?");
  CHECK(refusal_of({{"zone", false}}).starts_with("field 'zone' is false; it takes the name of a"));
  CHECK(refusal_of({{"zone", 1.0}}).starts_with("field 'zone' is 1; it takes the name of a"));
  CHECK(refusal_of({{"duration", 60.0}}) ==
        "field 'duration' is 60; it takes a board with 'reset', which says when a season begins");
  for (const double seconds : {0.0, -1.0, 1e-9, 366 * 86400.0 + 1, HUGE_VAL}) {
    CAPTURE(seconds);
    CHECK(refusal_of({{"reset", "0 0 * * *"}, {"duration", seconds}})
              .ends_with(
                  "; it takes seconds above 0 and up to 31622400, which are 366 days, or false "
                  "for none"));
  }
  CHECK(refusal_of({{"reset", "0 0 * * *"}, {"duration", 366 * 86400.0}}) == "taken");
  CHECK(refusal_of({{"engine", "rolling"}, {"duration", 60.0}}) ==
        "field 'duration' has no meaning with engine \"rolling\"");
  Fixture game;
  game.board("b", {{"reset", "0 0 * * *"}, {"duration", 60.0}});
  CHECK(verdict(game.registry->open("b", spec({{"reset", false}}))) == "invalid");
  CHECK(verdict(game.registry->open("b", spec({{"reset", false}, {"duration", false}}))) == "ok");
}

TEST_CASE("zone and duration are kept through restarts and exports, and so is the season's start") {
  const test::Folder folder;
  auto time = std::make_shared<Time>(kSaturday - kHour);
  test::Journal journal;
  const auto open = [&](const char* name) {
    RegistryOptions options;
    options.path = folder / name;
    options.clock = std::make_unique<SharedClock>(time);
    options.log = journal.log();
    Result<std::unique_ptr<Registry>> registry = Registry::open(std::move(options));
    if (!registry) FAIL(registry.refusal().text());
    return std::move(*registry);
  };
  const auto board = [](Registry& registry) -> Board& {
    return *registry.get(*registry.find("b"));
  };
  {
    const auto registry = open("a");
    REQUIRE(registry->open("b", spec(kTournament)));
    *time = kSaturday + kHour;
    CHECK(board(*registry).submit(WriteMode::submit, result("ada", 1)));
  }
  *time = kSaturday + kHour + kMinute;
  {
    const auto registry = open("a");
    CHECK(board(*registry).spec().zone.name() == "Europe/Berlin");
    CHECK(board(*registry).closes_at() == kSaturday + 2 * kHour);
    CHECK(board(*registry).resets_at() == kSaturday + kRound);
    CHECK(verdict(board(*registry).submit(WriteMode::submit, result("ada", 2))) == "ok");
    CHECK(export_registry(*registry, folder / "export"));
  }
  *time = kSaturday + 3 * kHour;
  for (const char* name : {"a", "b"}) {
    CAPTURE(name);
    const auto registry = open(name);
    if (!registry->find("b")) CHECK(import_registry(*registry, folder / "export"));
    CHECK(board(*registry).season().started == kSaturday);
    CHECK(board(*registry).closes_at() == kSaturday + 2 * kHour);
    CHECK(verdict(board(*registry).submit(WriteMode::submit, result("ada", 3))) == "closed");
    CHECK(table(board(*registry)) == "1 ada 2");
  }
  *time = kSaturday + 3 * kRound + kMinute;
  const auto registry = open("b");
  CHECK(board(*registry).season().started == kSaturday + 3 * kRound);
  CHECK(board(*registry).archived(1)->season().ended == kSaturday + kRound);
  CHECK(board(*registry).archived(1)->spec().duration == 2 * kHour);
}

TEST_CASE("random histories of a board with a duration agree with a naive calendar") {
  constexpr std::array<std::string_view, 4> kLines = {"0 20 * * 6", "30 2 * * *", "0 */6 * * *",
                                                      "0 0 1 * *"};
  constexpr std::array<std::string_view, 4> kZones = {"Europe/Berlin", "America/New_York",
                                                      "Australia/Lord_Howe", "UTC"};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](Time end) {
      return static_cast<Time>(random() % static_cast<std::uint64_t>(end));
    };
    const Result<Cron> cron = Cron::parse(kLines[random() % kLines.size()]);
    const Zone zone = *Zone::find(kZones[random() % kZones.size()]);
    const Schedule schedule(*cron, zone);
    Time duration = (1 + below(40)) * kHour;
    Tournament game(midnight_of(2024, 1, 1) + below(300 * kDay),
                    {{"reset", cron->text()},
                     {"zone", zone.name()},
                     {"duration", seconds_from_time(duration)},
                     {"archive", 50.0}});
    std::uint64_t number = 1;
    bool written = false;
    Time started = *schedule.last(*game.now);
    for (int step = 0; step < 300; ++step) {
      *game.now += below(random() % 8 == 0 ? 20 * kDay : 5 * kHour);
      const Time latest = *schedule.last(*game.now);
      if (latest > started) {
        number += written ? 1 : 0;
        written = false;
        started = latest;
      }
      const bool open = *game.now < started + duration;
      const bool moderates = random() % 10 == 0;
      const Result<Outcome> outcome = game.weekly().submit(
          moderates ? WriteMode::set : WriteMode::submit, result("ada", static_cast<double>(step)));
      REQUIRE(verdict(outcome) == (open || moderates ? "ok" : "closed"));
      written = written || outcome;
      REQUIRE(game.weekly().season().number == number);
      REQUIRE(game.weekly().season().started == started);
      REQUIRE(*game.weekly().closes_at() ==
              std::min(started + duration, *schedule.next(*game.now)));
      if (random() % 20 == 0) {
        duration = (1 + below(40)) * kHour;
        game.board("b", {{"duration", seconds_from_time(duration)}});
      }
      if (random() % 30 == 0) {
        REQUIRE(*game.weekly().reset() == number);
        ++number;
        written = false;
      }
    }
  }
}

}  // namespace laurel
