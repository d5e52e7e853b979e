// Posts are applied once and in order, through outages, losses and restarts.
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "folder.h"
#include "remote/limits.h"
#include "servers.h"

namespace laurel {

namespace {

OwnedSubmission posted(std::string player, double score) {
  OwnedSubmission what;
  what.player = std::move(player);
  what.score = score;
  return what;
}

struct Elsewhere {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  GameServer server{time, store};
};

// Several servers write to two boards through a bad network, outages and restarts. On "sum" every
// post counts, so a lost or repeated post changes the result. On "latest" the players of each
// server get a rising number, so a post out of order is visible.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed), servers_(2 + seed % 2) {
    for (std::size_t i = 0; i < servers_.size(); ++i) start(i);
  }

  void step() {
    time_.pass(static_cast<Time>(random_() % 20) * 1'000);
    const std::size_t i = random_() % servers_.size();
    switch (random_() % 60) {
      case 0: servers_[i]->remote->down("gone"); break;
      case 1: servers_[i]->remote->stall(true); break;
      case 2: restart(i); break;
      case 3:
      case 4: calm(i); break;
      default:
        for (std::uint64_t posts = random_() % 4; posts > 0; --posts) post(i);
        break;
    }
    tick();
  }

  void finish() {
    for (std::size_t i = 0; i < servers_.size(); ++i) calm(i);
    for (int ticks = 0; ticks < 10'000 && pending() > 0; ++ticks) {
      time_.pass(10'000);
      tick();
    }
    REQUIRE(pending() == 0);
  }

  void compare() const {
    for (const auto& [player, sum] : sums_) {
      CAPTURE(player);
      REQUIRE(store_->board("sum")->score(player) == sum);
    }
    for (const auto& [player, last] : lasts_) {
      CAPTURE(player);
      REQUIRE(store_->board("latest")->score(player) == last);
    }
  }

 private:
  void start(std::size_t i) {
    servers_[i] = std::make_unique<GameServer>(
        time_, store_,
        GameServer::Options{.path = folder_ / fmt::format("server{}", i),
                            .rules = nullptr,
                            .seed = random_(),
                            .weather = {.delay_min = 0,
                                        .delay_max = 30'000,
                                        .lose_request = 0.03,
                                        .lose_answer = 0.03,
                                        .repeat = 0.05}});
    // Sometimes the script opens its boards only later. Pending posts are sent without that.
    opened_.resize(servers_.size());
    opened_[i] = false;
    if (random_() % 2 == 0) open(i);
  }

  void open(std::size_t i) {
    if (opened_[i]) return;
    opened_[i] = true;
    (void)servers_[i]->open(
        "sum", {{"engine", "sharded"}, {"shards", 3.0}, {"keep", "sum"}, {"decimals", 0.0}});
    (void)servers_[i]->open("latest", {{"keep", "latest"}, {"decimals", 0.0}});
  }

  void restart(std::size_t i) {
    if (random_() % 2 == 0) servers_[i]->remote->arrive_all();
    servers_[i].reset();
    start(i);
  }

  void calm(std::size_t i) {
    servers_[i]->remote->down("");
    servers_[i]->remote->stall(false);
  }

  void post(std::size_t i) {
    open(i);
    RemoteBoards& boards = *servers_[i]->boards;
    const std::string shared = fmt::format("p{}", random_() % 5);
    const auto score = static_cast<double>(random_() % 100);
    OwnedSubmission what = posted(shared, score);
    if (random_() % 4 == 0) {  // also what was posted before, by this server or by another
      what.score = static_cast<double>(random_() % 20);
      what.id = fmt::format("match {} of {}", what.score, shared);
    }
    REQUIRE(boards.post(*boards.find("sum"), what));
    if (!what.id || ids_.insert(*what.id).second) sums_[shared] += what.score;
    const std::string own = fmt::format("s{}p{}", i, random_() % 3);
    REQUIRE(boards.post(*boards.find("latest"), posted(own, ++lasts_[own])));
  }

  void tick() {
    for (const auto& server : servers_) server->registry->tick();
    const Board* const latest = store_->board("latest");
    if (latest == nullptr) return;
    for (auto& [player, seen] : seen_) {
      const double now = latest->score(player).value_or(0);
      REQUIRE(now >= seen);
      seen = now;
    }
    for (const auto& [player, last] : lasts_) seen_.try_emplace(player, 0);
  }

  std::uint64_t pending() const {
    std::uint64_t pending = 0;
    for (const auto& server : servers_) {
      for (const std::string& name : server->boards->names()) {
        pending += server->boards->state(*server->boards->find(name)).pending;
      }
    }
    return pending;
  }

  std::mt19937_64 random_;
  test::Folder folder_;
  SharedTime time_;
  std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  std::vector<std::unique_ptr<GameServer>> servers_;
  std::vector<bool> opened_;
  std::map<std::string, double> sums_;
  std::set<std::string> ids_;  // that were posted
  std::map<std::string, double> lasts_;
  std::map<std::string, double> seen_;  // on "latest": the highest score seen
};

}  // namespace

TEST_CASE("every post is applied once, in order, through outages, lost answers and restarts") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    Story story(seed);
    for (int step = 0; step < 300; ++step) {
      CAPTURE(step);
      story.step();
    }
    story.finish();
    story.compare();
  }
}

TEST_CASE("a post is accepted at once and pending until it is applied") {
  Elsewhere game;
  game.server.remote->stall(true);
  const BoardHandle world = game.server.open("world");
  CHECK(game.server.boards->post(world, posted("alice", 5)));
  CHECK(game.server.boards->post(world, posted("bob", 7)));
  game.server.tick(10, 100'000);
  RemoteBoardState state = game.server.boards->state(world);
  CHECK(state.pending == 2);
  CHECK(*state.oldest == 1'000'000);
  game.server.remote->stall(false);
  game.server.tick(200, 10'000);
  state = game.server.boards->state(world);
  CHECK(state.pending == 0);
  CHECK_FALSE(state.oldest);
  CHECK(game.server.table(world) == "1 bob 7, 2 alice 5");
}

TEST_CASE("a post has the time at which it was posted, even if it is applied much later") {
  Elsewhere game;
  const BoardHandle world = game.server.open("world");
  (void)game.server.table(world);
  game.server.remote->stall(true);
  const Time moment = *game.time.wall;
  CHECK(game.server.boards->post(world, posted("alice", 5)));
  game.server.tick(50, 100'000);
  game.server.remote->stall(false);
  game.server.tick(200, 10'000);
  CHECK(game.store->board("world")->get("alice")->at == moment);
}

TEST_CASE("posts are sent in groups, and after a failure one alone first") {
  Elsewhere game;
  const BoardHandle world = game.server.open("world", {{"keep", "sum"}});
  (void)game.server.table(world);
  CHECK(game.server.boards->post(world, posted("p", 1)));
  game.server.tick(5);
  game.server.remote->stall(true);
  for (int i = 0; i < 3000; ++i) CHECK(game.server.boards->post(world, posted("p", 1)));
  game.server.tick();
  CHECK(game.server.remote->under_way() == kPostsAheadMax);
  game.server.tick(1, kRemoteTimeout);  // they have all timed out
  game.server.tick(2, kRemoteRetryMin + 1'000);
  game.server.tick();
  CHECK(game.server.remote->under_way() == 1);
  game.server.remote->stall(false);
  game.server.tick(50);
  CHECK(game.store->board("world")->score("p") == 3001);
}

TEST_CASE(
    "a bad post is refused at once, and posts that the remote refuses are counted and logged") {
  Elsewhere game;
  const BoardHandle world = game.server.open("world", {{"decimals", 2.0}});
  (void)game.server.table(world);
  RemoteBoards& boards = *game.server.boards;
  CHECK(verdict(boards.post(world, posted("", 1))) == "bad_player");
  CHECK(verdict(boards.post(world, posted("p", NAN))) == "not_finite");
  CHECK(verdict(boards.post(world, posted("p", 1e15))) == "out_of_range");
  OwnedSubmission with_data = posted("p", 1);
  with_data.data = std::string(2000, 'x');
  CHECK(verdict(boards.post(world, with_data)) == "bad_data");
  CHECK(game.server.get<bool>(world, request::Ban{"p", {}}));
  for (int i = 0; i < 20; ++i) CHECK(boards.post(world, posted("p", 1)));
  game.server.tick(100);
  CHECK(boards.state(world).pending == 0);
  CHECK(boards.state(world).refused == 20);
  REQUIRE(game.server.log.size() == kPostLinesPerSecond);
  CHECK(game.server.log[0] ==
        "warn: board \"world\": a post for player \"p\" was refused: banned: player \"p\" is "
        "banned from board \"world\"");
  (void)game.server.open("world", {{"closes", seconds_from_time(*game.time.wall)}});
  game.server.tick(5);
  CHECK(verdict(boards.post(world, posted("q", 1))) == "closed");
}

TEST_CASE("bans and erasures of the registry reach each board after the posts before them") {
  Elsewhere game;
  const BoardHandle a = game.server.open("a");
  const BoardHandle b = game.server.open("b", {{"engine", "sharded"}, {"shards", 4.0}});
  (void)game.server.table(b);
  game.server.remote->weather = {.delay_min = 0, .delay_max = 20'000};
  for (const BoardHandle board : {a, b}) {
    CHECK(game.server.boards->post(board, posted("p", 1)));
    CHECK(game.server.boards->post(board, posted("q", 2)));
  }
  CHECK(game.server.registry->ban("p"));
  game.server.tick(200);
  CHECK(game.server.table(a) == "1 q 2");
  CHECK(game.server.table(b) == "1 q 2");
  CHECK(game.server.registry->unban("p"));
  CHECK(game.server.registry->forget("q"));
  game.server.tick(200);
  CHECK(game.server.table(a) == "1 p 1");
  CHECK(game.server.table(b) == "1 p 1");
}

TEST_CASE("posts that were pending before a restart are sent before a script opens the board") {
  test::Folder folder;
  SharedTime time;
  const auto store = std::make_shared<FakeStore>();
  {
    GameServer server(time, store, {.path = folder / "g", .rules = nullptr, .weather = {}});
    server.remote->stall(true);
    const BoardHandle world = server.open("world", {{"order", "asc"}, {"meta", "words"}});
    CHECK(server.boards->post(world, posted("alice", 5)));
    server.tick(3);
  }
  GameServer server(time, store, {.path = folder / "g", .rules = nullptr, .weather = {}});
  REQUIRE(server.boards->has("world"));
  server.tick(20);
  CHECK(store->board("world")->score("alice") == 5);
  const BoardHandle world = *server.boards->find("world");
  CHECK(server.boards->spec(world)->order == Order::asc);
  CHECK(server.boards->spec(world)->meta == "words");
  CHECK(server.boards->state(world).pending == 0);
}

TEST_CASE("dropping a board drops its pending posts, and a restart does not restore the board") {
  test::Folder folder;
  SharedTime time;
  const auto store = std::make_shared<FakeStore>();
  {
    GameServer server(time, store, {.path = folder / "g", .rules = nullptr, .weather = {}});
    const BoardHandle world = server.open("world", {{"order", "asc"}});
    (void)server.table(world);
    server.remote->weather.lose_request = 1;
    CHECK(server.boards->post(world, posted("alice", 5)));
    server.remote->weather.lose_request = 0;
    CHECK(server.get<bool>(world, request::Drop{}));
  }
  GameServer server(time, store, {.path = folder / "g", .rules = nullptr, .weather = {}});
  server.tick(3);
  CHECK(server.boards->names().empty());
  CHECK(store->board("world") == nullptr);
}

}  // namespace laurel
