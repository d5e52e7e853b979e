// A game server that is killed between sending posts and hearing of them: on the same path it goes
// on, nothing is lost, and nothing counts twice.
#include <random>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "remote/dynamodb/asker.h"
#include "remote/processes/grounds.h"
#include "remote/processes/server_process.h"

namespace laurel {

namespace {

#ifdef LAUREL_SANITIZED
constexpr int kKills = 5;
#else
constexpr int kKills = 20;
#endif
constexpr Time kLifeMax = 250'000;
constexpr int kAtOnce = 100;  // posts that wait, of a server

// Sees what has been applied, while servers are dead.
class Onlooker {
 public:
  Onlooker(const std::string& url, const SharedBoard& board)
      : asker_(url), target_{board.name, std::make_shared<const Spec>(board.spec()), 0} {}

  // The sum of all scores, when what was under way has been applied: one reading takes several
  // requests, and what is applied between them may hide a row. So until two come to the same.
  double settled_total() {
    double before = total();
    for (double again = total(); again != before; again = total()) before = again;
    return before;
  }

 private:
  // 0 where there is no such board yet.
  double total() {
    const Result<Value> listed =
        asker_.ask(target_, ask::Page{0, 10'000}, time_from_seconds(1e9).value_or(0));
    if (!listed) {
      CHECK_MESSAGE(listed.refusal().code() == Code::unknown, listed.refusal().text());
      return 0;
    }
    double total = 0;
    for (const Entry& entry : std::get<Listed>(*listed).entries) total += entry.score;
    return total;
  }

  Asker asker_;
  Target target_;
};

// Boards of the place, and one where each post of the first server counts 1.
std::vector<SharedBoard> boards_of(const RemotePlace& place) {
  std::vector<SharedBoard> boards = place.boards;
  for (const SharedBoard& board : place.boards) {
    if (board.spec().keep != Keep::sum || board.spec().decimals.value_or(0) != 0) continue;
    SharedBoard& counter = boards.emplace_back(board);
    counter.name += "-count";
    counter.low = counter.high = 1;
    break;
  }
  return boards;
}

struct Count {
  double posted = 0;
  double in_doubt = 0;  // of them
};

Count count_posted(const ServerProcess& server, const std::string& board) {
  Count count;
  for (const Posted& post : server.posted()) {
    if (post.board != board) continue;
    ++count.posted;
    if (!post.sure) ++count.in_doubt;
  }
  return count;
}

void kill_again_and_again(const RemotePlace& place, int kills, std::uint64_t seed) {
  CAPTURE(place.name);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::vector<SharedBoard> boards = boards_of(place);
  const SharedBoard& counter = boards.back();
  std::vector<std::unique_ptr<ServerProcess>> servers;
  servers.push_back(std::make_unique<ServerProcess>(
      ServerProcess::Options{.name = "a", .remote = place.url, .frame_ms = 2}, boards));
  // One that is never killed, and does not play on the counter.
  servers.push_back(std::make_unique<ServerProcess>(
      ServerProcess::Options{.name = "b", .remote = place.url, .durability = ""},
      std::vector<SharedBoard>(boards.begin(), boards.end() - 1)));
  servers[1]->play(seed, {.at_once = kAtOnce});

  ServerProcess& victim = *servers[0];
  Onlooker onlooker(place.url, counter);
  int waited = 0;   // lives that began with posts of an earlier one
  int applied = 0;  // of those, where some of them had been applied
  double lost = 0;  // posts in doubt that are known not to have been kept
  int kill = 0;
  // Goes on until one came between the two that matter, which chance decides.
  for (; kill < kills || (applied == 0 && kill < 10 * kills); ++kill) {
    CAPTURE(kill);
    victim.play(seed + static_cast<std::uint64_t>(kill), {.at_once = kAtOnce});
    const Time until = steady_now() + static_cast<Time>(random() % (kLifeMax * place.pace));
    while (steady_now() < until) {
      victim.process().listen(std::max<Time>(0, until - steady_now()));
      servers[1]->process().listen();
    }
    victim.kill();
    const double there = onlooker.settled_total();
    const Count count = count_posted(victim, counter.name);
    victim.start();
    const double pending = std::stod(victim.wait_for("opened " + counter.name));
    // What was kept waits or was applied, or both. So as many as both leave unexplained were never
    // kept: they were in doubt, and hide as many applied ones in every later life.
    lost = std::max(lost, count.posted - there - pending);
    CHECK(lost <= count.in_doubt);
    CHECK(there <= count.posted);
    if (pending > 0) ++waited;
    if (there + pending > count.posted - lost) ++applied;
  }
  MESSAGE(place.name << ": " << kill << " kills, after " << waited
                     << " of them posts waited, after " << applied
                     << " of them such that had been applied");
  CHECK(waited > 0);
  CHECK(applied > 0);
  servers[1]->pause();
  for (const auto& server : servers) server->settle(2 * kPatience);
  servers[1]->tell(counter.opening());  // it reads what it did not play on, too
  check_boards(servers, boards);
  for (const auto& server : servers) server->finish();
}

}  // namespace

TEST_CASE("a server that is killed again and again loses no post, and none counts twice") {
  const int kills = is_long() ? 20 * kKills : kKills;
  for (const RemotePlace& place : remote_places()) {
    kill_again_and_again(place, place.pace == 1 ? kills : kills / 3, 7);
  }
}

}  // namespace laurel
