// What a board does with the verdicts of its rule. How rules run is tested in
// tests/bindings/sandbox and tests/bindings/api.
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <utility>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "fixture.h"

namespace laurel {

// Rules that return the verdicts listed by the test, and record the cases.
class ListedRules final : public Rules {
 public:
  struct Say {
    std::optional<double> score;
    std::optional<std::string> data;
    std::string reject;
  };

  RuleId open(std::string_view) override { return 0; }
  bool wants_held(RuleId) const override { return sees_held; }
  Result<Verdict> judge(RuleId, const RuleCase& the_case, RuleFailure) override {
    asked.push_back(fmt::format("{} {}{}{}", the_case.player, the_case.score,
                                the_case.held ? fmt::format(" held {}", the_case.held->score) : "",
                                the_case.data ? fmt::format(" with {}", *the_case.data) : ""));
    current = say.front();
    say.pop_front();
    if (!current.reject.empty()) return Refusal(Code::rejected, current.reject);
    Verdict verdict{.score = current.score, .data = std::nullopt};
    if (current.data) verdict.data = *current.data;
    return verdict;
  }
  Refusal overrule(RuleId, std::string_view, std::string_view, std::string reason) override {
    overruled.push_back(reason);
    return {Code::rejected, "{}", reason};
  }
  bool wants_changes(RuleId) const override { return hears; }
  void changed(RuleId, const Change& change) override {
    heard.push_back(fmt::format("{} {} {}", change.player, *change.score, *change.rank));
  }
  void reload_changed() override { ++ticks; }

  std::deque<Say> say;
  Say current;
  std::vector<std::string> asked;
  std::vector<std::string> heard;
  std::vector<std::string> overruled;
  bool hears = false;
  bool sees_held = true;
  int ticks = 0;
};

struct Ruled : Fixture {
  Ruled() : Ruled(new ListedRules) {}
  explicit Ruled(ListedRules* listed) : Fixture(std::unique_ptr<Rules>(listed)), rules(*listed) {}
  ListedRules& rules;
};

TEST_CASE("a rule that accepts without a score leaves the result to keep") {
  Ruled game;
  Board& board = game.board("b", {{"rule", "r"}});
  game.rules.say = {{}, {}};
  play(game, board, {{"p", 5}, {"p", 3}});
  CHECK(table(board) == "1 p 5");
  CHECK(game.rules.asked == std::vector<std::string>{"p 5", "p 3 held 5"});
}

TEST_CASE("the score and data of a rule replace keep") {
  Ruled game;
  Board& board = game.board("b", {{"rule", "r"}});
  game.rules.say = {{9.0, "judged", ""}, {4.0, std::nullopt, ""}};
  CHECK(board.submit(WriteMode::submit, {.player = "p", .score = 5, .data = "own", .at = {}})
            ->score == 9);
  CHECK(board.get("p")->data == "judged");
  CHECK(board.submit(WriteMode::submit, {.player = "p", .score = 6, .data = "own", .at = {}})
            ->score == 4);
  CHECK(board.get("p")->data == "own");
}

TEST_CASE("a rule that rejects changes nothing") {
  Ruled game;
  Board& board = game.board("b", {{"rule", "r"}});
  game.rules.say = {{{}, {}, "too good to be true"}};
  const Result<Outcome> outcome = board.submit(WriteMode::submit, result("p", 5));
  CHECK(outcome.refusal().text() == "rejected: too good to be true");
  CHECK(board.size() == 0);
}

TEST_CASE("a rule's score that the board cannot hold is a failure of the rule") {
  Ruled game;
  Board& board = game.board("b", {{"rule", "r"}, {"decimals", 0.0}});
  game.rules.say = {{1e300, {}, ""}, {1.0, std::string(2000, 'x'), ""}};
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 5))) == "rejected");
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 5))) == "rejected");
  CHECK(game.rules.overruled ==
        std::vector<std::string>{"score returned 1e+300, which is out of range",
                                 "score returned data of 2000 bytes; at most 1024 are allowed"});
}

TEST_CASE("rules judge submit, add and join with a score, but not set or unban") {
  Ruled game;
  Board& board = game.board("b", {{"rule", "r"}});
  game.rules.say = {{}, {}, {}};
  CHECK(board.submit(WriteMode::submit, result("p", 1)));
  CHECK(board.submit(WriteMode::add, result("p", 2)));
  CHECK(*board.join(result("q", 3), true));
  CHECK(board.set(result("p", 4)));
  CHECK(*board.ban("p"));
  CHECK(*board.unban("p"));
  CHECK(game.rules.asked == std::vector<std::string>{"p 1", "p 2 held 1", "q 3"});
}

TEST_CASE("a submission to several boards holds on each the data of its own rule") {
  Ruled game;
  game.open("a", {{"rule", "r"}});
  game.open("b", {{"rule", "r"}});
  game.rules.say = {{1.0, "for a, and long enough to need memory of its own", ""},
                    {2.0, "for b, and long enough to need memory of its own", ""}};
  std::vector<std::optional<double>> scores;
  const std::vector<std::string_view> both = {"a", "b"};
  CHECK_FALSE(game.registry->submit(both, result("p", 5), scores));
  CHECK(game.board("a").get("p")->data == "for a, and long enough to need memory of its own");
  CHECK(game.board("b").get("p")->data == "for b, and long enough to need memory of its own");
}

TEST_CASE("a rule hears of changes at the next tick") {
  Ruled game;
  game.rules.hears = true;
  Board& board = game.board("b", {{"rule", "r"}});
  game.rules.say = {{}, {}, {}};
  play(game, board, {{"p", 5}, {"q", 9}, {"p", 1}});
  CHECK(game.rules.heard.empty());
  game.registry->tick();
  CHECK(game.rules.heard == std::vector<std::string>{"p 5 1", "q 9 1"});
  game.registry->tick();
  CHECK(game.rules.heard.size() == 2);
  CHECK(game.rules.ticks == 2);
}

TEST_CASE("if too many changes are pending, the first are reported and the others counted") {
  constexpr std::size_t kMore = 3;
  Ruled game;
  game.rules.hears = true;
  Board& board = game.board("b", {{"rule", "r"}, {"keep", "latest"}});
  Board& other = game.board("other", {{"rule", "r"}});
  for (std::size_t i = 1; i <= kPendingChangesMax + kMore; ++i) {
    game.rules.say = {{}};
    REQUIRE(board.submit(WriteMode::submit, result("p", static_cast<double>(i))));
  }
  CHECK(game.registry->stats().changes_dropped == kMore);
  game.rules.say = {{}};
  REQUIRE(other.submit(WriteMode::submit, result("q", 1)));  // the limit is per board
  CHECK(game.registry->stats().changes_dropped == kMore);

  game.registry->tick();
  REQUIRE(game.rules.heard.size() == kPendingChangesMax + 1);
  CHECK(game.rules.heard.front() == "p 1 1");
  CHECK(game.rules.heard[kPendingChangesMax - 1] == fmt::format("p {} 1", kPendingChangesMax));
  CHECK(game.rules.heard.back() == "q 1 1");

  game.rules.heard.clear();
  game.rules.say = {{}};
  play(game, board, {{"p", 7}});
  game.registry->tick();
  CHECK(game.rules.heard == std::vector<std::string>{"p 7 1"});
  CHECK(game.registry->stats().changes_dropped == kMore);
}

namespace {

// Submits once, in the first on_tick.
class LateCaller final : public RegistryObserver {
 public:
  explicit LateCaller(Board& board) : board_(board) {}
  void on_tick(Registry&, TickSlice&) override {
    if (std::exchange(called_, true)) return;
    REQUIRE(board_.submit(WriteMode::submit, {.player = "late", .score = 7.0}));
  }

 private:
  Board& board_;
  bool called_ = false;
};

}  // namespace

TEST_CASE("a change made during a tick after the rules were told is reported at the next tick") {
  Ruled game;
  game.rules.hears = true;
  Board& board = game.board("b", {{"rule", "r"}});
  Board& quiet = game.board("quiet", {{"rule", "r"}});
  game.rules.say = {{}, {}, {}};
  play(game, board, {{"p", 5}});
  game.registry->attach(std::make_shared<LateCaller>(board));
  game.registry->tick();
  CHECK(game.rules.heard == std::vector<std::string>{"p 5 1"});
  game.registry->tick();
  CHECK(game.rules.heard == std::vector<std::string>{"p 5 1", "late 7 1"});
  game.registry->tick();
  CHECK(game.registry->changed().size() == 0);
  play(game, quiet, {{"q", 1}});
  game.registry->tick();
  CHECK(game.rules.heard.size() == 3);
}

namespace {

// Plays random submissions, with random verdicts, on a board; returns everything that the board
// answered.
std::string told_by_history(std::uint64_t seed, bool sees_held) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](std::initializer_list<std::string_view> choices) {
    return *(choices.begin() + random() % choices.size());
  };
  Fields fields = {{"rule", "r"}, {"keep", pick({"best", "latest", "sum", "first"})}};
  const bool sums = std::get<std::string_view>(fields[1].second) == "sum";
  if (random() % 3 == 0 && !sums) {
    fields.insert(fields.end(), {{"engine", "capped"}, {"cap", 4.0}, {"reserve", 2.0}});
  } else if (random() % 2 == 0) {
    fields.insert(fields.end(), {{"engine", "sharded"}, {"shards", 2.0}});
  }
  Ruled game;
  game.rules.sees_held = sees_held;
  Board& board = game.board("b", fields);
  std::string told;
  for (int i = 0; i < 60; ++i) {
    *game.now += static_cast<Time>(random() % 2) * kSecond;
    ListedRules::Say say;
    if (random() % 4 == 0) say.reject = "no";
    if (random() % 4 == 0)
      say.score = random() % 9 == 0 ? 1e300 : static_cast<double>(random() % 5);
    if (random() % 4 == 0) say.data = "ruled";
    game.rules.say = {say};
    const std::string player = fmt::format("p{}", random() % 6);
    Submission what{.player = player, .score = static_cast<double>(random() % 5)};
    if (random() % 3 == 0) what.data = pick({"x", "y", ""});
    const WriteMode mode = random() % 4 == 0 ? WriteMode::add : WriteMode::submit;
    const Result<Outcome> outcome = board.submit(mode, what);
    told += outcome ? fmt::format("{} {}\n", outcome->score.value_or(-1), outcome->changed)
                    : fmt::format("{}\n", outcome.refusal().text());
  }
  Entries entries;
  board.read(0, SIZE_MAX, entries);
  for (const Entry& entry : entries) {
    told += fmt::format("{} {} {} {} {}\n", entry.rank, entry.player, entry.score, entry.at,
                        entry.data.value_or("-"));
  }
  const bool saw = std::ranges::any_of(game.rules.asked, [](const std::string& asked) {
    return asked.find(" held ") != std::string::npos;
  });
  CHECK(saw == sees_held);
  return told;
}

}  // namespace

TEST_CASE("results are the same whether or not the rule reads what is held") {
  for (int round = 0; round < 100; ++round) {
    const std::uint64_t seed = std::random_device()();
    CAPTURE(seed);
    CHECK(told_by_history(seed, true) == told_by_history(seed, false));
  }
}

TEST_CASE("a rule without a rules directory is unavailable, and the board says so") {
  Fixture game;
  Board& board = game.board("b", {{"rule", "r"}});
  CHECK(board.submit(WriteMode::submit, result("p", 1)).refusal().text() ==
        "unavailable: rule \"r\" cannot load: no rules directory was given");
  CHECK(board.set(result("p", 1)));
}

}  // namespace laurel
