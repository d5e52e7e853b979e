// The C interface's live channel: servers and clients.
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "laurel/laurel.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;

namespace {

struct HeldEntry {
  static void on_top(void* context, const char*, const laurel_top_entry* entries, size_t count,
                     uint64_t size, uint64_t, const char* refusal) {
    auto& seen = *static_cast<HeldEntry*>(context);
    seen.last = refusal != nullptr ? refusal : fmt::format("{} ranked:", size);
    for (size_t i = 0; i < count; ++i) {
      seen.last +=
          fmt::format(" {} {} {}", entries[i].rank,
                      std::string(entries[i].player, entries[i].player_size), entries[i].score);
    }
  }

  // Ticks both ends until the client has seen the text; false after ten seconds.
  bool reaches(const std::string& wanted, Host& host, laurel_client* client) {
    for (int i = 0; i < 10'000 && last != wanted; ++i) {
      api().tick(host.boards);
      api().client_tick(client);
      usleep(1000);  // lets the live thread run; the text ends the loop
    }
    return last == wanted;
  }

  std::string last;
};

laurel_live* serve(Host& host, uint16_t port = 0) {
  laurel_serve_config config{};
  config.struct_size = sizeof config;
  config.port = port;
  return api().serve(host.boards, &config, &host.error);
}

laurel_client* connect_to(laurel_live* live) {
  laurel_connect_config config{};
  config.struct_size = sizeof config;
  config.port = api().live_port(live);
  return api().connect(&config, nullptr);
}

}  // namespace

TEST_CASE("a client sees the top of a published board, live") {
  Host host;
  const laurel_board board = host.board("season_3");
  CHECK(host.submit(board, "ada", 3) == LAUREL_OK);
  laurel_live* live = serve(host);
  REQUIRE(live != nullptr);
  CHECK(api().publish(live, board, 10, 0, &host.error) == LAUREL_OK);

  laurel_client* client = connect_to(live);
  REQUIRE(client != nullptr);
  CHECK(std::string(api().client_state(client)) == "connecting");
  HeldEntry seen;
  HeldEntry other;
  CHECK(api().subscribe(client, "season_3", 2, HeldEntry::on_top, &seen, nullptr) == LAUREL_OK);
  CHECK(api().subscribe(client, "other", 2, HeldEntry::on_top, &other, nullptr) == LAUREL_OK);
  CHECK(seen.reaches("1 ranked: 1 ada 3", host, client));
  CHECK(std::string(api().client_state(client)) == "connected");
  CHECK(other.last.rfind("unknown: ", 0) == 0);

  CHECK(host.submit(board, "bea", 5) == LAUREL_OK);
  CHECK(host.submit(board, "cleo", 1) == LAUREL_OK);
  CHECK(seen.reaches("3 ranked: 1 bea 5 2 ada 3", host, client));
  for (int i = 0; i < 10'000 && api().live_settled(live) == 0; ++i) {
    api().client_tick(client);
    usleep(1000);
  }
  CHECK(api().live_settled(live) == 1);

  api().unpublish(live, board);
  for (int i = 0; i < 10'000 && seen.last.rfind("unknown: ", 0) != 0; ++i) {
    api().client_tick(client);
    usleep(1000);
  }
  CHECK(seen.last.rfind("unknown: ", 0) == 0);
  api().client_close(client);
  api().live_close(live);
}

TEST_CASE("a server with tokens admits a client with one and shows the entries around its player") {
  Host host;
  const laurel_board board = host.board("season_3");
  for (int i = 1; i <= 9; ++i)
    CHECK(host.submit(board, fmt::format("p{}", i).c_str(), i) == LAUREL_OK);
  laurel_serve_config config{};
  config.struct_size = sizeof config;
  config.auth = LAUREL_AUTH_TOKEN;
  laurel_live* live = api().serve(host.boards, &config, &host.error);
  REQUIRE(live != nullptr);
  CHECK(api().publish(live, board, 10, 0, &host.error) == LAUREL_OK);
  char token[LAUREL_TOKEN_SIZE];
  CHECK(api().token(live, "", 60, 1, token, &host.error) == LAUREL_BAD_PLAYER);
  CHECK(api().token(live, "p5", -1, 1, token, &host.error) == LAUREL_OUT_OF_RANGE);
  CHECK(api().token(live, "p5", 60, 0, token, &host.error) == LAUREL_OUT_OF_RANGE);
  REQUIRE(api().token(live, "p5", 60, 1, token, &host.error) == LAUREL_OK);
  CHECK(std::string(token).size() == LAUREL_TOKEN_SIZE - 1);

  laurel_connect_config connect{};
  connect.struct_size = sizeof connect;
  connect.port = api().live_port(live);
  connect.context = token;
  connect.fetch_token = [](void* context) -> const char* { return static_cast<char*>(context); };
  laurel_client* client = api().connect(&connect, nullptr);
  REQUIRE(client != nullptr);
  HeldEntry top, around;
  CHECK(api().subscribe(client, "season_3", 1, HeldEntry::on_top, &top, nullptr) == LAUREL_OK);
  CHECK(api().follow(client, "season_3", 1, HeldEntry::on_top, &around, nullptr) == LAUREL_OK);
  CHECK(api().follow(client, "season_3", 11, HeldEntry::on_top, &around, nullptr) ==
        LAUREL_OUT_OF_RANGE);
  CHECK(around.reaches("9 ranked: 4 p6 6 5 p5 5 6 p4 4", host, client));
  CHECK(top.reaches("9 ranked: 1 p9 9", host, client));

  laurel_client* stranger = connect_to(live);
  const auto refused = [&] {
    return std::string(api().client_state(stranger)).rfind("refused: ", 0) == 0;
  };
  for (int i = 0; i < 10'000 && !refused(); ++i) {
    api().client_tick(stranger);
    usleep(1000);
  }
  CHECK(refused());
  laurel_live_counters counters{};
  counters.struct_size = sizeof counters;
  api().live_counters(live, &counters);
  CHECK(counters.struct_size == sizeof counters);
  CHECK(counters.clients == 1);
  CHECK(counters.denied >= 1);
  api().client_close(stranger);
  api().client_close(client);
}

TEST_CASE("a client hears that the server is full, or that its address has its share") {
  for (const bool share : {false, true}) {
    CAPTURE(share);
    Host host;
    laurel_serve_config config{};
    config.struct_size = sizeof config;
    config.clients = share ? 8 : 1;
    config.clients_per_address = 1;
    laurel_live* live = api().serve(host.boards, &config, &host.error);
    REQUIRE(live != nullptr);
    laurel_client* first = connect_to(live);
    const auto becomes = [](laurel_client* client, const std::string& state) {
      for (int i = 0; i < 10'000 && api().client_state(client) != state; ++i) {
        api().client_tick(client);
        usleep(1000);  // lets the live thread run; the state ends the loop
      }
      return api().client_state(client) == state;
    };
    CHECK(becomes(first, "connected"));
    laurel_client* second = connect_to(live);
    CHECK(becomes(second, share ? "refused: full: this address has its share of the slots (1)"
                                : "refused: full"));
    api().client_close(first);
    api().client_close(second);
  }
}

TEST_CASE("serving on a port in use is refused with a message that names it") {
  Host host;
  laurel_live* first = serve(host);
  REQUIRE(first != nullptr);
  const uint16_t port = api().live_port(first);
  CHECK(serve(host, port) == nullptr);
  CHECK(host.error.code == LAUREL_UNAVAILABLE);
  CHECK(std::string(host.error.text).find(fmt::format(":{}", port)) != std::string::npos);
}

TEST_CASE("publishing an unknown board or too many entries is refused") {
  Host host;
  laurel_live* live = serve(host);
  REQUIRE(live != nullptr);
  CHECK(api().publish(live, {0, 0}, 10, 0, &host.error) == LAUREL_UNKNOWN);
  CHECK(api().publish(live, host.board("b"), 101, 0, &host.error) == LAUREL_INVALID);
}
