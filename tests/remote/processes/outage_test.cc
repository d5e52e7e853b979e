// A remote that is away while servers post: for 3 seconds, or a minute with --long.
#include <csignal>
#include <functional>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "grounds.h"
#include "remote/limits.h"
#include "remote/redis/shared_servers.h"
#include "server_process.h"
#ifdef LAUREL_DYNAMODB_LOCAL
#include "remote/dynamodb/local_engine.h"
#endif

namespace laurel {

namespace {

using Servers = std::vector<std::unique_ptr<ServerProcess>>;

Time outage() { return is_long() ? 60 * kSecond : 3 * kSecond; }

// The last list that an overlay received: "BOARD ENTRIES PLAYER SCORE MOMENT", without the moment.
std::string last_list(const Process& overlay) {
  std::string last;
  for (const std::string& line : overlay.said()) {
    // Until a board's top has come from the remote, a refusal is allowed.
    if (line.starts_with("refused ") && !last.empty()) FAIL(line);
    if (line.starts_with("seen ")) last = line.substr(5, line.rfind(' ') - 5);
  }
  return last;
}

int lines_that_begin(const Process& process, std::string_view beginning) {
  int count = 0;
  for (const std::string& line : process.said()) count += line.starts_with(beginning) ? 1 : 0;
  return count;
}

// Two servers post during the outage, and an overlay of the second follows a board. In the end all
// posts must be there.
void go_through(const RemotePlace& place, const std::function<void()>& away,
                const std::function<void()>& back) {
  const std::vector<SharedBoard>& boards = place.boards;
  Servers servers;
  for (const char* name : {"a", "b"}) {
    servers.push_back(std::make_unique<ServerProcess>(
        ServerProcess::Options{
            .name = name, .remote = place.url, .durability = "tick", .frame_ms = 4 * place.pace},
        boards));
  }
  ServerProcess& shows = *servers[1];
  for (const SharedBoard& board : boards) shows.tell(fmt::format("watch(\"{}\")", board.name));
  shows.tell(fmt::format("serve(\"{}\")", boards[0].name));
  const std::string port = shows.wait_for("port");
  Process overlay("overlay.lua", {LAUREL_SCRIPTS, port, boards[0].name});
  for (std::uint64_t i = 0; i < servers.size(); ++i) {
    servers[i]->wait_until("up");
    servers[i]->play(i, {.each = place.pace == 1 ? 4 : 1});
  }
  while (last_list(overlay).find(" 10 ") == std::string::npos) overlay.wait_for("seen");

  away();
  const Time gone = steady_now();
  for (const auto& server : servers) server->wait_until("down:");
  while (steady_now() < gone + outage()) {
    for (const auto& server : servers) server->process().listen(50'000);
  }
  // An overlay that was connected has the last known top, and one that connects now gets it too.
  overlay.listen();
  const std::string known = last_list(overlay);
  Process newcomer("overlay.lua", {LAUREL_SCRIPTS, port, boards[0].name});
  newcomer.wait_for("seen");
  CHECK(last_list(newcomer) == known);
  overlay.listen();
  CHECK(last_list(overlay) == known);

  back();
  for (const auto& server : servers) server->wait_until("up");
  for (const auto& server : servers) server->pause();
  for (const auto& server : servers) server->settle(4 * kPatience);
  check_boards(servers, boards);
  for (const auto& server : servers) {
    CHECK(lines_that_begin(server->process(), "refused ") == 0);
    CHECK(lines_that_begin(server->process(), "shrunk ") == 0);
    CHECK(server->refused() == 0);
  }
  // The newest state reaches both overlays.
  const ShownEntry first = servers[0]->dump(boards[0].name).front();
  const std::string newest = fmt::format("{} 10 {} {}", boards[0].name, first.player, first.score);
  for (Process* const each : {&overlay, &newcomer}) {
    while (last_list(*each) != newest) each->wait_for("seen");
    CHECK(lines_that_begin(*each, "state lost") == 0);
    CHECK(each->finish() == 0);
  }
  for (const auto& server : servers) server->finish();
}

}  // namespace

TEST_CASE("a cluster that is stopped for a while loses no post, and overlays keep the last top") {
  RedisServers* const nodes = redis_cluster();
  if (nodes == nullptr) return;
  const auto signal_all = [&](int signal) {
    for (std::size_t i = 0; i < nodes->count(); ++i) nodes->signal(i, signal);
  };
  go_through(
      {.name = "redis cluster", .url = nodes->url(), .boards = redis_boards()},
      [&] { signal_all(SIGSTOP); }, [&] { signal_all(SIGCONT); });
}

TEST_CASE("a cluster that is killed and restarted from its disk loses no post") {
  RedisServers* const nodes = redis_cluster();
  if (nodes == nullptr) return;
  go_through(
      {.name = "redis cluster", .url = nodes->url(), .boards = redis_boards()},
      [&] {
        for (std::size_t i = 0; i < nodes->count(); ++i) nodes->signal(i, SIGKILL);
      },
      [&] {
        for (std::size_t i = 0; i < nodes->count(); ++i) nodes->start(i);
      });
}

#ifdef LAUREL_DYNAMODB_LOCAL
// Its clients retry at growing intervals, so it takes about twenty seconds until all is back.
TEST_CASE("a DynamoDB that is stopped for a while loses no post, and overlays keep the last top" *
          doctest::skip(!is_long())) {
  for (const RemotePlace& place : remote_places()) {
    if (place.name != "dynamodb" || !signal_local_engine(SIGCONT)) continue;
    go_through(
        place, [] { signal_local_engine(SIGSTOP); }, [] { signal_local_engine(SIGCONT); });
  }
}
#endif

// A minute of a busy server. With --long only, since it then has to send a million posts.
TEST_CASE("posts are refused when the limit of waiting posts is reached, and not before" *
          doctest::skip(!is_long())) {
  RedisServers* const nodes = redis_cluster();
  if (nodes == nullptr) return;
  std::vector<SharedBoard> boards = redis_boards();
  boards.resize(1);
  ServerProcess server({.name = "a", .remote = nodes->url(), .durability = "tick"}, boards);
  server.wait_until("up");
  for (std::size_t i = 0; i < nodes->count(); ++i) nodes->signal(i, SIGSTOP);
  server.tell(fmt::format("fill(\"{}\", 200, {})", boards[0].name, 2 * kPostsMax));
  const std::string filled = server.wait_for("filled", 4 * kPatience);
  CHECK(filled.starts_with(fmt::format("{} unavailable: ", kPostsMax)));
  for (std::size_t i = 0; i < nodes->count(); ++i) nodes->signal(i, SIGCONT);
  server.settle(20 * kPatience);
  double total = 0;
  for (const ShownEntry& entry : server.dump(boards[0].name)) total += entry.score;
  CHECK(total == static_cast<double>(kPostsMax));
  server.finish();
}

}  // namespace laurel
