// A remote board's rule judges locally what is about to be written to the remote.
#include <doctest/doctest.h>

#include "servers.h"

namespace laurel {

namespace {

// Decides on the held score plus twice the offered one, rejects 13, and records what it sees and
// hears.
class DoublingRules final : public Rules {
 public:
  RuleId open(std::string_view) override { return 0; }
  bool wants_held(RuleId) const override { return true; }
  Result<Verdict> judge(RuleId, const RuleCase& the_case, RuleFailure) override {
    asked.push_back(fmt::format("{} {} held {}", the_case.player, the_case.score,
                                the_case.held ? the_case.held->score : 0));
    if (the_case.score == 13) return Refusal(Code::rejected, "unlucky");
    if (the_case.score == 7) return Verdict{};
    data = "judged";
    const double held = the_case.held ? the_case.held->score : 0;
    return Verdict{.score = held + 2 * the_case.score, .data = std::string_view(data)};
  }
  bool wants_changes(RuleId) const override { return hears; }
  void changed(RuleId, const Change& change) override {
    heard.push_back(fmt::format("{} {} rank {}", change.player, *change.score, *change.rank));
  }

  std::string data;
  std::vector<std::string> asked;
  std::vector<std::string> heard;
  bool hears = true;
};

struct Ruled {
  Ruled() : Ruled(new DoublingRules) {}
  explicit Ruled(DoublingRules* made)
      : rules(*made),
        server(time, store, {.path = {}, .rules = std::unique_ptr<Rules>(made), .weather = {}}) {}

  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  DoublingRules& rules;
  GameServer server;
};

}  // namespace

TEST_CASE("a rule sees the remote entry, and its score and data are stored regardless of keep") {
  Ruled game;
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  CHECK(game.server.submit(world, "p", 5));
  CHECK(game.server.submit(world, "p", 1));
  CHECK(game.rules.asked == std::vector<std::string>{"p 5 held 0", "p 1 held 10"});
  const Listed listed = game.server.get<Listed>(world, request::Get{"p"});
  CHECK(listed.entries[0].score == 12);
  CHECK(listed.entries[0].data == "judged");
  // If the verdict has no score, keep decides.
  CHECK(game.server.submit(world, "p", 7));
  CHECK(game.server.table(world) == "1 p 12");
}

TEST_CASE("a submission that the rule rejects is not written to the remote") {
  Ruled game;
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  CHECK(outcome(game.server.submit(world, "p", 13)) == "rejected: unlucky");
  CHECK(game.server.remote->asked<request::Write>() == 0);
  CHECK(game.server.table(world).empty());
}

TEST_CASE("without a rules directory, a remote board with a rule is unavailable") {
  SharedTime time;
  GameServer server(time, std::make_shared<FakeStore>());
  const BoardHandle world = server.open("world", {{"rule", "r"}});
  CHECK(outcome(server.submit(world, "p", 1)) ==
        "unavailable: rule \"r\" cannot load: no rules directory was given");
}

TEST_CASE("a submission is judged again if the entry changed while the rule judged it") {
  Ruled game;
  GameServer other(game.time, game.store);
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  (void)game.server.table(world);
  const BoardHandle there = other.open("world");
  (void)other.table(there);
  game.server.remote->weather = {.delay_min = 5'000, .delay_max = 5'000};
  std::optional<Result<Value>> answer;
  game.server.boards->ask(world, 0, request::Write{.what = {.player = "p", .score = 5}},
                          [&](Result<Value> value) { answer.emplace(std::move(value)); });
  game.server.tick(11);  // the held score was read
  request::Write set{.how = WriteMode::set, .what = {.player = "p", .score = 100}};
  CHECK(other.ask(there, set));
  game.server.tick(60);
  REQUIRE(answer);
  CHECK(outcome(*answer) == "ok");
  CHECK(game.rules.asked == std::vector<std::string>{"p 5 held 0", "p 5 held 100"});
  CHECK(game.server.table(world) == "1 p 110");
}

TEST_CASE("add, and join with a score, are judged; set is not") {
  Ruled game;
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  CHECK(game.server.ask(
      world, request::Write{.how = WriteMode::add, .what = {.player = "p", .score = 1}}));
  CHECK(game.server.ask(world,
                        request::Join{.what = {.player = "q", .score = 2}, .with_score = true}));
  CHECK(game.server.ask(world, request::Join{.what = {.player = "r"}}));
  CHECK(game.server.ask(
      world, request::Write{.how = WriteMode::set, .what = {.player = "s", .score = 9}}));
  CHECK(game.rules.asked == std::vector<std::string>{"p 1 held 0", "q 2 held 0"});
  CHECK(game.server.table(world) == "1 s 9, 2 q 4, 3 p 2");
}

TEST_CASE("a batch is judged one by one, with a player's scores in order") {
  Ruled game;
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  request::WriteAll all;
  for (const auto& [player, score] : std::vector<std::pair<std::string, double>>{
           {"p", 1}, {"q", 13}, {"p", 2}, {"", 3}, {"p", 13}, {"q", 5}}) {
    all.what.push_back({.player = player, .score = score});
  }
  const WrittenAll written = game.server.get<WrittenAll>(world, all);
  CHECK(written.changed == 3);
  REQUIRE(written.refused.size() == 3);
  CHECK(written.refused[0].first == 1);
  CHECK(written.refused[1].first == 3);
  CHECK(verdict(Result<Done>(written.refused[1].second)) == "bad_player");
  CHECK(written.refused[2].first == 4);
  CHECK(game.server.table(world) == "1 q 10, 2 p 6");
}

TEST_CASE("a result whose id was accepted before is answered before the rule judges it") {
  Ruled game;
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  request::Write write{.what = {.player = "p", .score = 5}};
  write.what.id = "match 1";
  CHECK(game.server.get<Written>(world, write).score == 10);
  write.what.score = 13;  // the rule would reject it
  const Written written = game.server.get<Written>(world, write);
  CHECK(written.score == 10);
  CHECK_FALSE(written.changed);
  CHECK_FALSE(written.change);
  write.report = true;
  const Written reported = game.server.get<Written>(world, write);
  REQUIRE(reported.change);
  CHECK(reported.change->previous == 10);
  CHECK(reported.change->previous_rank == 1);
  CHECK(reported.change->rank == 1);
  CHECK(game.rules.asked == std::vector<std::string>{"p 5 held 0"});
  CHECK(game.server.boards->post(world, write.what));
  game.server.tick(20);
  CHECK(game.server.boards->state(world).pending == 0);

  // A result that the rule rejects does not use up its id, also in a batch.
  request::WriteAll all;
  for (const auto& [player, score] :
       std::vector<std::pair<std::string, double>>{{"q", 13}, {"r", 1}, {"q", 1}, {"r", 2}}) {
    all.what.push_back({.player = player, .score = score});
    all.what.back().id = "match 2";
  }
  CHECK(game.server.get<WrittenAll>(world, all).changed == 1);
  CHECK(game.server.table(world) == "1 p 10, 2 r 2");
}

TEST_CASE("posts are judged in order, and applied once even if answers are lost") {
  Ruled game;
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  (void)game.server.table(world);
  game.server.remote->weather = {.delay_min = 0, .delay_max = 5'000, .lose_answer = 0.2};
  for (int i = 0; i < 10; ++i) {
    CHECK(game.server.boards->post(world, {.player = "p", .score = i == 4 ? 13.0 : 1.0}));
  }
  game.server.tick(20'000, 5'000);
  CHECK(game.server.boards->state(world).pending == 0);
  game.server.remote->weather = {};
  CHECK(game.server.table(world) == "1 p 18");
}

TEST_CASE("a rule hears of the changes that it allowed, and not of another server's") {
  Ruled game;
  GameServer other(game.time, game.store);
  const BoardHandle world = game.server.open("world", {{"rule", "r"}});
  const Written written =
      game.server.get<Written>(world, request::Write{.what = {.player = "p", .score = 5}});
  CHECK_FALSE(written.change);  // the rule asked for it, the caller did not
  const BoardHandle there = other.open("world");
  request::Write set{.how = WriteMode::set, .what = {.player = "q", .score = 100}};
  CHECK(other.ask(there, set));
  CHECK(game.server.boards->post(world, {.player = "p", .score = 50}));
  game.server.tick(20);
  CHECK(game.rules.heard == std::vector<std::string>{"p 10 rank 1", "p 110 rank 1"});
}

}  // namespace laurel
