// A game server is killed between sending posts and hearing of them. Restarted on the same path it
// continues, nothing is lost, and nothing counts twice.
#include <random>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "grounds.h"
#include "remote/dynamodb/sender.h"
#include "server_process.h"

namespace laurel {

namespace {

#ifdef LAUREL_SANITIZED
constexpr int kKills = 5;
#else
constexpr int kKills = 20;
#endif
constexpr Time kLifeMax = 250'000;
constexpr int kAtOnce = 100;  // posts of one server that may wait

// Reads what has been applied while the server is dead.
class Onlooker {
 public:
  Onlooker(const std::string& url, const SharedBoard& board)
      : sender_(url), target_{board.name, std::make_shared<const Spec>(board.spec()), 0} {}

  // The sum of all scores once all posts in flight are applied. One reading takes several requests,
  // and a post applied between them may hide a row, so it reads until two results are equal.
  double settled_total() {
    double before = total();
    for (double again = total(); again != before; again = total()) before = again;
    return before;
  }

 private:
  // 0 if the board does not exist yet.
  double total() {
    const Result<Value> listed =
        sender_.ask(target_, request::Page{0, 10'000}, time_from_seconds(1e9).value_or(0));
    if (!listed) {
      CHECK_MESSAGE(listed.refusal().code() == Code::unknown, listed.refusal().text());
      return 0;
    }
    double total = 0;
    for (const Entry& entry : std::get<Listed>(*listed).entries) total += entry.score;
    return total;
  }

  Sender sender_;
  Target target_;
};

// The place's boards, and one on which each post of the first server counts 1.
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
  double in_doubt = 0;  // part of `posted`
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
  // A server that is never killed, and does not play on the counter.
  servers.push_back(std::make_unique<ServerProcess>(
      ServerProcess::Options{.name = "b", .remote = place.url, .durability = ""},
      std::vector<SharedBoard>(boards.begin(), boards.end() - 1)));
  servers[1]->play(seed, {.at_once = kAtOnce});

  ServerProcess& victim = *servers[0];
  Onlooker onlooker(place.url, counter);
  int waited = 0;   // lives that began with posts of an earlier one
  int applied = 0;  // those of them in which some of these posts had been applied
  double lost = 0;  // posts in doubt that are known to be lost
  int kill = 0;
  // Continues until a kill has come between sending and hearing, which depends on chance.
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
    // A kept post is pending, applied, or both. Posts that are neither were never kept, so they are
    // among those in doubt. In later lives the same number hides posts that are both.
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
  servers[1]->tell(counter.opening());  // so that it can read it
  check_boards(servers, boards);
  for (const auto& server : servers) server->finish();
}

}  // namespace

TEST_CASE("repeated kills of a server lose no post, and none counts twice") {
  const int kills = is_long() ? 20 * kKills : kKills;
  for (const RemotePlace& place : remote_places()) {
    kill_again_and_again(place, place.pace == 1 ? kills : kills / 3, 7);
  }
}

}  // namespace laurel
