// Several game servers on shared boards: the result is what one naive list makes of all their
// posts.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "grounds.h"
#include "server_process.h"

namespace laurel {

namespace {

#ifdef LAUREL_SANITIZED
constexpr int kPosts = 800;
#else
constexpr int kPosts = 3000;
#endif

using Servers = std::vector<std::unique_ptr<ServerProcess>>;

Servers start_servers(int count, const RemotePlace& place) {
  Servers servers;
  for (int i = 0; i < count; ++i) {
    ServerProcess::Options options;
    options.name = std::string(1, static_cast<char>('a' + i));
    options.remote = place.url;
    options.durability = i % 2 == 0 ? "tick" : "";  // one with a journal on disk, one without
    options.frame_ms = 2;
    servers.push_back(std::make_unique<ServerProcess>(options, place.boards));
  }
  return servers;
}

// Every server must report the same banned players.
void check_banned(const Servers& servers, const std::vector<SharedBoard>& boards,
                  const std::set<std::string>& banned) {
  std::string list;
  for (const std::string& player : banned) list += (list.empty() ? "" : " ") + player;
  for (const auto& server : servers) {
    for (const SharedBoard& board : boards) {
      server->tell(fmt::format("banned(\"{}\")", board.name));
      CHECK(server->wait_for("banned") == list);
    }
  }
}

void post_to_all(const ServerProcess& server, const std::vector<SharedBoard>& boards,
                 const std::string& player) {
  for (const SharedBoard& board : boards) {
    server.tell(fmt::format("post(\"{}\", \"{}\", 500)", board.name, player));
  }
}

void play_together(int count, const RemotePlace& place, std::uint64_t seed) {
  CAPTURE(place.name);
  CAPTURE(count);
  CAPTURE(seed);
  const Servers servers = start_servers(count, place);
  for (int i = 0; i < count; ++i) {
    servers[i]->play(seed * 100 + static_cast<std::uint64_t>(i),
                     {.each = place.pace == 1 ? 10 : 1, .count = kPosts / place.pace / count});
  }
  // Bans by one server while all play apply to all.
  servers.front()->tell("ban(\"p03\", \"a04\", \"b05\")");
  std::set<std::string> banned = {"p03", "a04", "b05"};
  for (const auto& server : servers) server->wait_for("played", 2 * kPatience);
  for (const auto& server : servers) server->settle();
  check_banned(servers, place.boards, banned);
  check_boards(servers, place.boards, banned);

  // The last server bans. What the first then posts for these players is refused and counted.
  servers.back()->tell("ban(\"p07\", \"a08\", \"p09\")");
  servers.back()->settle();
  const int refused = servers.front()->refused();
  for (const char* player : {"p07", "a08", "p09"}) {
    post_to_all(*servers.front(), place.boards, player);
  }
  servers.front()->settle();
  CHECK(servers.front()->refused() - refused == 3 * static_cast<int>(place.boards.size()));
  banned.insert({"p07", "a08", "p09"});
  check_banned(servers, place.boards, banned);
  check_boards(servers, place.boards, banned);

  // When the first unbans two of them, they have what they had.
  servers.front()->tell("unban(\"p07\", \"a08\")");
  servers.front()->settle();
  banned.erase("p07");
  banned.erase("a08");
  check_banned(servers, place.boards, banned);
  check_boards(servers, place.boards, banned);
  for (const auto& server : servers) server->finish();
}

}  // namespace

TEST_CASE("posts of two servers to shared boards give what one list makes of them") {
  const int seeds = is_long() ? 20 : 1;
  for (int seed = 1; seed <= seeds; ++seed) {
    for (const RemotePlace& place : remote_places()) {
      play_together(2, place, static_cast<std::uint64_t>(seed));
    }
  }
}

TEST_CASE("posts of three servers to shared boards give what one list makes of them") {
  const int seeds = is_long() ? 20 : 1;
  for (int seed = 1; seed <= seeds; ++seed) {
    for (const RemotePlace& place : remote_places()) {
      if (place.pace > 1 && !is_long()) continue;
      play_together(3, place, static_cast<std::uint64_t>(100 + seed));
    }
  }
}

}  // namespace laurel
