// The C interface, as a host sees it: through the table that laurel_entry hands out.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "laurel/laurel.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Folder;
using laurel::test::Host;

TEST_CASE("a host that speaks another version gets no table") {
  CHECK(laurel_entry(LAUREL_ABI_VERSION + 1) == nullptr);
  CHECK(laurel_entry(0) == nullptr);
  CHECK(api().struct_size == sizeof(laurel_api));
}

TEST_CASE("every place of the table is filled") {
  const auto* places = reinterpret_cast<void* const*>(&api().open);
  const auto* end = reinterpret_cast<void* const*>(&api() + 1);
  for (const auto* place = places; place != end; ++place) CHECK(*place != nullptr);
}

TEST_CASE("a host without a config gets a registry of its own") {
  laurel_boards* a = api().open(nullptr, nullptr);
  laurel_boards* b = api().open(nullptr, nullptr);
  laurel_board handle{};
  CHECK(api().board(a, "x", nullptr, &handle, nullptr) == LAUREL_OK);
  CHECK(api().find(a, "x", nullptr) == 1);
  CHECK(api().find(b, "x", nullptr) == 0);
  api().close(a);
  api().close(b);
  api().close(nullptr);
}

TEST_CASE("results come in, ranks come out") {
  Host host;
  const laurel_board season = host.board("season_3");
  CHECK(host.submit(season, "bob", 9850) == LAUREL_OK);
  CHECK(host.submit(season, "alice", 8420) == LAUREL_OK);
  CHECK(host.submit(season, "carol", 5100) == LAUREL_OK);

  uint64_t rank = 0;
  uint64_t size = 0;
  CHECK(api().rank(host.boards, season, "alice", &rank, &size) == 1);
  CHECK(rank == 2);
  CHECK(size == 3);
  CHECK(api().rank(host.boards, season, "nobody", &rank, &size) == 0);
  double score = 0;
  CHECK(api().score(host.boards, season, "carol", &score) == 1);
  CHECK(score == 5100);
  CHECK(api().size(host.boards, season) == 3);

  laurel_board_entry entries[10];
  REQUIRE(api().top(host.boards, season, entries, 10) == 3);
  CHECK(std::string(entries[0].player, entries[0].player_size) == "bob");
  CHECK(entries[0].data == nullptr);
  CHECK(entries[2].rank == 3);
  REQUIRE(api().page(host.boards, season, 2, entries, 1) == 1);
  CHECK(std::string(entries[0].player, entries[0].player_size) == "alice");
  CHECK(api().page(host.boards, season, 0, entries, 1) == 1);
  CHECK(api().page(host.boards, season, 4, entries, 1) == 0);
}

TEST_CASE("data and moments come along") {
  Host host;
  const laurel_board board = host.board("b");
  laurel_details details{};
  details.struct_size = sizeof details;
  details.data = "a\0b";
  details.data_size = 3;
  details.at = -5'000'000;
  details.has_at = 1;
  laurel_outcome outcome{};
  CHECK(api().submit(host.boards, board, "p", 5, &details, &outcome, nullptr) == LAUREL_OK);
  CHECK(outcome.score == 5);
  CHECK(outcome.changed == 1);
  laurel_board_entry entry;
  REQUIRE(api().top(host.boards, board, &entry, 1) == 1);
  CHECK(entry.at == -5'000'000);
  REQUIRE(entry.data_size == 3);
  CHECK(std::memcmp(entry.data, "a\0b", 3) == 0);
}

TEST_CASE("a spec is taken field by field, and what is wrong with it is said") {
  Host host;
  laurel_spec spec = empty_spec();
  spec.keep = "sum";
  spec.decimals = "1";
  const laurel_board run = host.board("run", &spec);
  for (int i = 0; i < 10; ++i) CHECK(host.submit(run, "a", 0.1) == LAUREL_OK);
  double score = 0;
  api().score(host.boards, run, "a", &score);
  CHECK(score == 1);

  laurel_board out{};
  spec.order = "up";
  CHECK(api().board(host.boards, "other", &spec, &out, &host.error) == LAUREL_INVALID);
  CHECK(std::string(host.error.text) ==
        "invalid: field 'order' is \"up\"; it takes \"desc\" or \"asc\"");
  spec.order = nullptr;
  spec.decimals = "12";
  CHECK(api().board(host.boards, "other", &spec, &out, nullptr) == LAUREL_INVALID);
  CHECK(api().board(host.boards, nullptr, nullptr, &out, nullptr) == LAUREL_INVALID);
  CHECK(api().board(host.boards, "", nullptr, &out, nullptr) == LAUREL_INVALID);
}

TEST_CASE("a struct of an older host is read as far as it goes") {
  Host host;
  laurel_spec spec = empty_spec();
  spec.struct_size = offsetof(laurel_spec, order);
  spec.order = "asc";
  const laurel_board board = host.board("b", &spec);
  CHECK(host.submit(board, "p", 1) == LAUREL_OK);
  CHECK(host.submit(board, "p", 2) == LAUREL_OK);
  double score = 0;
  api().score(host.boards, board, "p", &score);
  CHECK(score == 2);
}

TEST_CASE("refusals have a code and a sentence, and change nothing") {
  Host host;
  const laurel_board board = host.board("b");
  CHECK(host.submit(board, "p", NAN) == LAUREL_NOT_FINITE);
  CHECK(std::string(host.error.text) == "not_finite: the score is nan");
  CHECK(host.submit(board, "", 1) == LAUREL_BAD_PLAYER);
  CHECK(host.submit(board, nullptr, 1) == LAUREL_BAD_PLAYER);
  CHECK(host.submit({0, 0}, "p", 1) == LAUREL_UNKNOWN);
  CHECK(api().size(host.boards, board) == 0);
  CHECK(host.submit(board, "p", 1) == LAUREL_OK);
  CHECK(host.error.code == LAUREL_OK);
  CHECK(std::string(host.error.text).empty());
}

TEST_CASE("a handle to a dropped board is answered") {
  Host host;
  const laurel_board board = host.board("b");
  CHECK(api().drop(host.boards, "b") == 1);
  CHECK(api().drop(host.boards, "b") == 0);
  CHECK(host.submit(board, "p", 1) == LAUREL_UNKNOWN);
  CHECK(api().size(host.boards, board) == 0);
  CHECK(api().score(host.boards, board, "p", nullptr) == 0);
  laurel_board_entry entry;
  CHECK(api().top(host.boards, board, &entry, 1) == 0);
}

TEST_CASE("a batch is taken in order, each result with its own code") {
  Host host;
  const laurel_board board = host.board("b");
  laurel_result results[] = {{"p", 5, -1}, {"p", 3, -1}, {"", 1, -1}, {"q", NAN, -1}, {"r", 2, -1}};
  CHECK(api().submit_all(host.boards, board, results, 5) == 2);
  CHECK(results[0].code == LAUREL_OK);
  CHECK(results[1].code == LAUREL_OK);
  CHECK(results[2].code == LAUREL_BAD_PLAYER);
  CHECK(results[3].code == LAUREL_NOT_FINITE);
  CHECK(api().size(host.boards, board) == 2);
  CHECK(api().submit_all(host.boards, {0, 0}, results, 5) == 0);
  CHECK(results[0].code == LAUREL_UNKNOWN);
}

TEST_CASE("joins, bans and removals") {
  Host host;
  laurel_spec spec = empty_spec();
  spec.join = "required";
  const laurel_board board = host.board("b", &spec);
  CHECK(host.submit(board, "p", 1) == LAUREL_NOT_JOINED);
  CHECK(api().join(host.boards, board, "p", nullptr) == LAUREL_OK);
  CHECK(api().join(host.boards, board, "p", nullptr) == LAUREL_OK);
  CHECK(host.submit(board, "p", 1) == LAUREL_OK);
  CHECK(api().add(host.boards, board, "p", 4, nullptr, nullptr, nullptr) == LAUREL_OK);
  CHECK(api().ban(host.boards, board, "p", nullptr) == LAUREL_OK);
  CHECK(host.submit(board, "p", 1) == LAUREL_BANNED);
  CHECK(api().unban(host.boards, board, "p", nullptr) == LAUREL_OK);
  double score = 0;
  CHECK(api().score(host.boards, board, "p", &score) == 1);
  CHECK(score == 5);
  CHECK(api().set(host.boards, board, "p", 2, nullptr, nullptr, nullptr) == LAUREL_OK);
  CHECK(api().remove(host.boards, board, "p") == 1);
  CHECK(api().remove(host.boards, board, "p") == 0);
  CHECK(api().leave(host.boards, board, "p", nullptr) == LAUREL_OK);
  CHECK(host.submit(board, "p", 1) == LAUREL_NOT_JOINED);
}

TEST_CASE("the host's clock gives the moments") {
  Host host;
  const laurel_board board = host.board("b");
  CHECK(host.submit(board, "p", 1) == LAUREL_OK);
  laurel_board_entry entry;
  api().top(host.boards, board, &entry, 1);
  CHECK(entry.at == host.now);
}

TEST_CASE("board rules judge what a host submits, and reload at tick") {
  const Folder rules;
  rules.write("limit.lua", "return { accept = function(s) return s.score < 10, 'too much' end }");
  Host host(rules.c_str());
  laurel_spec spec = empty_spec();
  spec.rule = "limit";
  const laurel_board board = host.board("b", &spec);
  CHECK(host.submit(board, "p", 5) == LAUREL_OK);
  CHECK(host.submit(board, "p", 50) == LAUREL_REJECTED);
  CHECK(std::string(host.error.text) == "rejected: too much");
  rules.write("limit.lua", "return { accept = function(s) return s.score < 100, 'too much' end }");
  CHECK(host.submit(board, "p", 50) == LAUREL_REJECTED);
  api().tick(host.boards);
  CHECK(host.submit(board, "p", 50) == LAUREL_OK);
}

namespace {

// What scripts emitted, as text.
struct Heard {
  static void on_emit(void* context, const char* event, const laurel_value* values, size_t count) {
    std::string line = event;
    for (size_t i = 0; i < count; ++i) {
      const laurel_value& value = values[i];
      if (value.type == LAUREL_STRING) {
        line += fmt::format(" {}", std::string(value.string, value.string_size));
      } else if (value.type == LAUREL_NUMBER) {
        line += fmt::format(" {}", value.number);
      } else {
        line += value.number != 0 ? " true" : " false";
      }
    }
    static_cast<Heard*>(context)->lines.push_back(line);
  }

  laurel_scripts* host(Host& on, const char* directory) {
    laurel_scripts_config config{};
    config.struct_size = sizeof config;
    config.directory = directory;
    config.context = this;
    config.on_emit = on_emit;
    return api().host_scripts(on.boards, &config, &on.error);
  }

  std::vector<std::string> lines;
};

laurel_value text(const char* value) { return {LAUREL_STRING, 0, value, std::strlen(value)}; }

}  // namespace

TEST_CASE("hosted scripts keep boards that the host sees, hear its events, and answer") {
  const Folder scripts;
  scripts.write("goals.lua", R"(
    local goals = boards:board("goals", { keep = "sum" })
    laurel.on("goal", function(player, points, own_goal)
      if own_goal then return end
      laurel.emit("banner", player, goals:submit(player, points))
    end))");
  Host host;
  Heard heard;
  laurel_scripts* hosted = heard.host(host, scripts.c_str());
  REQUIRE(hosted != nullptr);
  laurel_value goal[3] = {
      text("ada"), {LAUREL_NUMBER, 2, nullptr, 0}, {LAUREL_BOOLEAN, 0, nullptr, 0}};
  CHECK(api().emit(hosted, "goal", goal, 3) == 1);
  CHECK(api().emit(hosted, "nothing", goal, 3) == 0);
  goal[2].number = 1;
  CHECK(api().emit(hosted, "goal", goal, 3) == 1);
  CHECK(heard.lines == std::vector<std::string>{"banner ada 2 true"});

  laurel_board goals{};
  REQUIRE(api().find(host.boards, "goals", &goals) == 1);
  CHECK(api().size(host.boards, goals) == 1);
  api().scripts_close(hosted);
  CHECK(api().size(host.boards, goals) == 1);
}

TEST_CASE("a failing script never stops the server, and is logged with file and line") {
  const Folder scripts;
  scripts.write("bad.lua", "laurel.on('goal', function() error('no such player') end)\n");
  scripts.write("broken.lua", "local = 5\n");
  scripts.write("good.lua", "laurel.on('goal', function() laurel.emit('fine') end)\n");
  Host host;
  Heard heard;
  laurel_scripts* hosted = heard.host(host, scripts.c_str());
  REQUIRE(hosted != nullptr);
  CHECK(api().emit(hosted, "goal", nullptr, 0) == 2);
  CHECK(heard.lines == std::vector<std::string>{"fine"});
  std::string log;
  for (const std::string& line : host.log) log += line + "\n";
  CAPTURE(log);
  CHECK(log.find("broken.lua:1") != std::string::npos);
  CHECK(log.find("bad.lua:1: no such player") != std::string::npos);
}

TEST_CASE("a directory of scripts that is not there is refused") {
  Host host;
  Heard heard;
  CHECK(heard.host(host, "/nonexistent/scripts") == nullptr);
  CHECK(host.error.code == LAUREL_UNAVAILABLE);
}

namespace {

struct Seen {
  static void on_top(void* context, const char*, const laurel_top_entry* entries, size_t count,
                     uint64_t size, uint64_t, const char* refusal) {
    auto& seen = *static_cast<Seen*>(context);
    seen.last = refusal != nullptr ? refusal : fmt::format("{} ranked:", size);
    for (size_t i = 0; i < count; ++i) {
      seen.last +=
          fmt::format(" {} {} {}", entries[i].rank,
                      std::string(entries[i].player, entries[i].player_size), entries[i].score);
    }
  }

  // Ticks both ends until the client has seen it; false after ten seconds.
  bool reaches(const std::string& wanted, Host& host, laurel_client* client) {
    for (int i = 0; i < 10'000 && last != wanted; ++i) {
      api().tick(host.boards);
      api().client_tick(client);
      usleep(1000);  // lets the live thread run; the condition is the text
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
  Seen seen;
  Seen other;
  CHECK(api().subscribe(client, "season_3", 2, Seen::on_top, &seen, nullptr) == LAUREL_OK);
  CHECK(api().subscribe(client, "other", 2, Seen::on_top, &other, nullptr) == LAUREL_OK);
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

TEST_CASE(
    "a server that asks for tokens lets in who shows one, and shows its player's surroundings") {
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
  Seen top, around;
  CHECK(api().subscribe(client, "season_3", 1, Seen::on_top, &top, nullptr) == LAUREL_OK);
  CHECK(api().follow(client, "season_3", 1, Seen::on_top, &around, nullptr) == LAUREL_OK);
  CHECK(api().follow(client, "season_3", 11, Seen::on_top, &around, nullptr) ==
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

TEST_CASE("a port in use is refused, and the refusal says which") {
  Host host;
  laurel_live* first = serve(host);
  REQUIRE(first != nullptr);
  const uint16_t port = api().live_port(first);
  CHECK(serve(host, port) == nullptr);
  CHECK(host.error.code == LAUREL_UNAVAILABLE);
  CHECK(std::string(host.error.text).find(fmt::format(":{}", port)) != std::string::npos);
}

TEST_CASE("publishing a board that is not there, or too much of it, is refused") {
  Host host;
  laurel_live* live = serve(host);
  REQUIRE(live != nullptr);
  CHECK(api().publish(live, {0, 0}, 10, 0, &host.error) == LAUREL_UNKNOWN);
  CHECK(api().publish(live, host.board("b"), 101, 0, &host.error) == LAUREL_INVALID);
}
