// The C interface's remote boards: when each call is answered, with what, and how often.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <unistd.h>

#include "plugin/remote_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Host;
using laurel::test::remote;
using laurel::test::RemoteHost;
using laurel::test::Told;

using namespace std::string_literals;

namespace {

laurel::GameServer::Options weather(const laurel::FakeWeather& weather, std::uint64_t seed = 1) {
  laurel::GameServer::Options options;
  options.weather = weather;
  options.seed = seed;
  return options;
}

laurel_code ask_size(RemoteHost& host, laurel_board board, Told* told) {
  return remote().size(host.boards, board, Told::take, told, &host.error);
}

laurel_remote_state state_of(RemoteHost& host, laurel_board board) {
  laurel_remote_state state{};
  state.struct_size = sizeof state;
  REQUIRE(remote().state(host.boards, board, &state) == 1);
  return state;
}

// The refusal of a registry with these remotes; empty if it opens.
std::string refusal_of(const std::vector<laurel_remote>& remotes, double timeout = 0) {
  laurel_config config{};
  config.struct_size = sizeof config;
  config.remotes = remotes.data();
  config.remote_count = remotes.size();
  config.remote_timeout = timeout;
  laurel_error error{};
  laurel_boards* const boards = api().open(&config, &error);
  CHECK((boards == nullptr) == (error.code == LAUREL_INVALID));
  api().close(boards);
  return error.text;
}

}  // namespace

// ---- the table and what is opened

TEST_CASE("every function of the table of remote calls is set") {
  CHECK(remote().struct_size == sizeof(laurel_remote_api));
  const auto* places = reinterpret_cast<void* const*>(&remote().post);
  const auto* end = reinterpret_cast<void* const*>(&remote() + 1);
  for (const auto* place = places; place != end; ++place) CHECK(*place != nullptr);
}

TEST_CASE("invalid remotes are refused when the boards are opened") {
  CHECK(refusal_of({{"main", "redis://127.0.0.1:1"}}).empty());
  CHECK(refusal_of({{"main", "redis://127.0.0.1:1"}, {"more", "redis://127.0.0.1:2"}}).empty());
  CHECK(refusal_of({{"main", "http://127.0.0.1"}}).starts_with("invalid: remote \"main\": "));
  CHECK(refusal_of({{"main", nullptr}}).starts_with("invalid: remote \"main\": "));
  CHECK(refusal_of({{"my main", "redis://127.0.0.1:1"}}) ==
        "invalid: \"my main\" is not a remote's name: it takes 1 to 64 letters, digits, \"_\" or "
        "\"-\"");
  CHECK(refusal_of({{nullptr, "redis://127.0.0.1:1"}})
            .starts_with("invalid: \"\" is not a remote's name"));
  CHECK(refusal_of({{"main", "redis://127.0.0.1:1"}, {"main", "redis://127.0.0.1:2"}}) ==
        "invalid: two remotes are called \"main\"");
  CHECK(refusal_of({}, 60).empty());
  for (const double timeout : {-1.0, 61.0, std::nan("")}) {
    CHECK(refusal_of({}, timeout).starts_with("invalid: remote_timeout is "));
  }
}

TEST_CASE("a config without remotes from an older host is not read beyond its size") {
  laurel_config config{};
  config.struct_size = offsetof(laurel_config, remotes);
  config.remote_count = 1;  // beyond the host's struct, so it must not be read
  config.remote_timeout = -1;
  laurel_boards* const boards = api().open(&config, nullptr);
  REQUIRE(boards != nullptr);
  laurel_spec spec = empty_spec();
  spec.struct_size = offsetof(laurel_spec, remote);
  spec.remote = "nowhere";
  laurel_board board{};
  CHECK(api().board(boards, "b", &spec, &board, nullptr) == LAUREL_OK);
  CHECK(api().submit(boards, board, "p", 1, nullptr, nullptr, nullptr) == LAUREL_OK);
  api().close(boards);
}

TEST_CASE("a remote board opens without waiting and is found by name") {
  RemoteHost host;
  host.fake.stall(true);
  const laurel_board world = host.board("world");
  laurel_board found{};
  CHECK(api().find(host.boards, "world", &found) == 1);
  CHECK(found.slot == world.slot);
  CHECK(found.generation == world.generation);
  laurel_board again{};
  CHECK(api().board(host.boards, "world", nullptr, &again, nullptr) == LAUREL_OK);
  CHECK(again.slot == world.slot);

  laurel_spec spec = empty_spec();
  spec.remote = "other";
  CHECK(api().board(host.boards, "b", &spec, &found, &host.error) == LAUREL_INVALID);
  CHECK(std::string(host.error.text) ==
        "invalid: field 'remote' is \"other\": no remote has that name");
  Host without;
  CHECK(api().board(without.boards, "b", &spec, &found, &without.error) == LAUREL_INVALID);
  spec.remote = "main";
  spec.engine = "capped";
  CHECK(api().board(host.boards, "b", &spec, &found, nullptr) == LAUREL_UNSUPPORTED);
}

TEST_CASE("if the spec on the remote differs, state reports it and writes are refused") {
  RemoteHost there;
  laurel_spec spec = empty_spec();
  spec.order = "asc";
  CHECK(there.submit(there.board("world", spec), "ada", 1).code == LAUREL_OK);
  RemoteHost here({}, there.store);
  spec.order = "desc";
  const laurel_board world = here.board("world", spec);
  CHECK(here.top(world, 1).table == "1 ada 1");
  CHECK(here.submit(world, "bob", 1).text ==
        "unavailable: field 'order' is \"asc\" in the remote and \"desc\" here");
  CHECK(state_of(here, world).up == 0);
  CHECK(std::string(state_of(here, world).text) ==
        "down: field 'order' is \"asc\" in the remote and \"desc\" here");
}

// ---- local and remote handles

TEST_CASE("the calls of laurel.h refuse remote boards") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  REQUIRE(host.submit(world, "ada", 1).code == LAUREL_OK);
  CHECK(api().submit(host.boards, world, "ada", 1, nullptr, nullptr, &host.error) ==
        LAUREL_UNSUPPORTED);
  CHECK(std::string(host.error.text) ==
        "unsupported: this board is remote: use the calls of remote.h");
  CHECK(api().add(host.boards, world, "ada", 1, nullptr, nullptr, nullptr) == LAUREL_UNSUPPORTED);
  CHECK(api().set(host.boards, world, "ada", 1, nullptr, nullptr, nullptr) == LAUREL_UNSUPPORTED);
  CHECK(api().join(host.boards, world, "ada", nullptr) == LAUREL_UNSUPPORTED);
  CHECK(api().ban(host.boards, world, "ada", nullptr) == LAUREL_UNSUPPORTED);
  CHECK(api().reset(host.boards, world, nullptr, nullptr) == LAUREL_UNSUPPORTED);
  laurel_result result{"ada", 1, LAUREL_OK};
  CHECK(api().submit_all(host.boards, world, &result, 1) == 0);
  CHECK(result.code == LAUREL_UNSUPPORTED);
  laurel_board_entry entry;
  CHECK(api().remove(host.boards, world, "ada") == 0);
  CHECK(api().size(host.boards, world) == 0);
  CHECK(api().score(host.boards, world, "ada", nullptr) == 0);
  CHECK(api().rank(host.boards, world, "ada", nullptr, nullptr) == 0);
  CHECK(api().top(host.boards, world, &entry, 1) == 0);
  CHECK(api().around(host.boards, world, "ada", 0, &entry) == 0);
  CHECK(api().archived(host.boards, world, 1, 1, &entry, 1) == 0);
  CHECK(api().season(host.boards, world) == 0);
  CHECK(api().drop(host.boards, "world") == 0);
  CHECK(host.top(world, 1).table == "1 ada 1");
}

TEST_CASE("the calls of remote.h refuse local boards, except post, which submits") {
  RemoteHost host;
  laurel_board here{};
  REQUIRE(api().board(host.boards, "here", nullptr, &here, nullptr) == LAUREL_OK);
  Told told;
  CHECK(ask_size(host, here, &told) == LAUREL_INVALID);
  CHECK(std::string(host.error.text) == "invalid: this board is local: use the calls of laurel.h");
  CHECK(ask_size(host, {0, 0}, &told) == LAUREL_UNKNOWN);
  laurel_remote_state state{};
  CHECK(remote().state(host.boards, here, &state) == 0);

  CHECK(remote().post(host.boards, here, "ada", 7, nullptr, &host.error) == LAUREL_OK);
  CHECK(remote().post(host.boards, here, "ada", NAN, nullptr, nullptr) == LAUREL_NOT_FINITE);
  CHECK(remote().post(host.boards, {0, 0}, "ada", 7, nullptr, nullptr) == LAUREL_UNKNOWN);
  double score = 0;
  CHECK(api().score(host.boards, here, "ada", &score) == 1);
  CHECK(score == 7);
  host.tick(3);
  CHECK(told.times == 0);
}

TEST_CASE("without remotes every remote handle is unknown") {
  Host host;
  laurel_error error{};
  for (const laurel_board handle : {laurel_board{0x8000'0000U, 1}, laurel_board{UINT32_MAX, 1}}) {
    Told told;
    CHECK(remote().size(host.boards, handle, Told::take, &told, &error) == LAUREL_UNKNOWN);
    laurel_remote_state state{};
    CHECK(remote().state(host.boards, handle, &state) == 0);
    CHECK(api().size(host.boards, handle) == 0);
  }
}

// ---- when a call is answered

TEST_CASE("a call is answered once, at a tick, and never within itself") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  Told size;
  Told wrong;
  REQUIRE(ask_size(host, world, &size) == LAUREL_OK);
  REQUIRE(remote().submit(host.boards, world, "", 1, nullptr, Told::take, &wrong, nullptr) ==
          LAUREL_OK);
  CHECK(size.times + wrong.times == 0);
  host.tick(20);
  CHECK(size.times == 1);
  CHECK(size.code == LAUREL_OK);
  CHECK(wrong.times == 1);
  CHECK(wrong.text == "bad_player: the id is empty");
  CHECK(wrong.code == LAUREL_BAD_PLAYER);
}

TEST_CASE("a call may have no callback") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  CHECK(remote().submit(host.boards, world, "ada", 3, nullptr, nullptr, nullptr, nullptr) ==
        LAUREL_OK);
  CHECK(remote().submit(host.boards, world, "ada", NAN, nullptr, nullptr, nullptr, nullptr) ==
        LAUREL_OK);
  CHECK(host.top(world, 1).table == "1 ada 3");
}

TEST_CASE("arguments are copied, and entries come with their data") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  char player[] = "ada";
  char data[] = {'a', '\0', 'b'};
  laurel_details details{};
  details.struct_size = sizeof details;
  details.data = data;
  details.data_size = sizeof data;
  details.at = -5'000'000;
  details.has_at = 1;
  Told told;
  REQUIRE(remote().submit(host.boards, world, player, 5, &details, Told::take, &told, nullptr) ==
          LAUREL_OK);
  std::memset(player, 'x', sizeof player - 1);
  std::memset(data, 'x', sizeof data);
  std::memset(&details, 0xFF, sizeof details);
  host.tick(20);
  CHECK(told.score == 5);
  CHECK(told.changed == 1);
  CHECK(host.top(world, 5).entries == "1 ada 5 at -5000000 'a\0b'"s);
}

TEST_CASE("concurrent calls get their own answers, in any order") {
  RemoteHost host(weather({.delay_min = 0, .delay_max = 500'000}));
  const laurel_board world = host.board("world");
  static constexpr int kPlayers = 60;
  std::vector<std::string> players;
  std::vector<laurel_result> results;
  for (int i = 0; i < kPlayers; ++i) players.push_back(fmt::format("p{}", i));
  for (int i = 0; i < kPlayers; ++i) results.push_back({players[i].c_str(), 1000.0 - i, -1});
  REQUIRE(host.ask([&](Told* told) {
                return remote().submit_all(host.boards, world, results.data(), results.size(),
                                           Told::take, told, nullptr);
              })
              .number == kPlayers);

  struct Asked {
    std::vector<uint64_t>* order = nullptr;
    uint64_t place = 0;
    int times = 0;
  };
  std::vector<uint64_t> order;
  std::vector<Asked> asked(kPlayers);
  for (int i = 0; i < kPlayers; ++i) {
    asked[i] = {&order, static_cast<uint64_t>(i + 1), 0};
    const auto on_rank = [](void* context, const laurel_answer* answer) {
      Asked& mine = *static_cast<Asked*>(context);
      ++mine.times;
      CHECK(answer->rank == mine.place);
      CHECK(answer->size == kPlayers);
      mine.order->push_back(answer->rank);
    };
    REQUIRE(remote().rank(host.boards, world, players[i].c_str(), on_rank, &asked[i], nullptr) ==
            LAUREL_OK);
  }
  host.tick(1'500);
  CHECK(order.size() == kPlayers);
  for (const Asked& each : asked) CHECK(each.times == 1);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));  // the random delays have changed the
                                                            // order
}

TEST_CASE("a callback may make calls, and open and drop boards") {
  RemoteHost host;
  struct Chain {
    RemoteHost* host;
    laurel_board world;
    int left = 100;
    double score = 0;

    static void go_on(void* context, const laurel_answer* answer) {
      Chain& chain = *static_cast<Chain*>(context);
      CHECK(answer->code == LAUREL_OK);
      chain.score = answer->score;
      if (--chain.left == 0) return;
      chain.next();
    }
    void next() {
      laurel_board match{};
      CHECK(api().board(host->boards, "match", nullptr, &match, nullptr) == LAUREL_OK);
      CHECK(api().submit(host->boards, match, "ada", left, nullptr, nullptr, nullptr) == LAUREL_OK);
      CHECK(api().drop(host->boards, "match") == 1);
      api().tick(host->boards);  // a tick within a tick does nothing
      CHECK(remote().add(host->boards, world, "ada", 1, nullptr, go_on, this, nullptr) ==
            LAUREL_OK);
    }
  };
  Chain chain{&host, host.board("world")};
  chain.next();
  host.tick(1'000);
  CHECK(chain.left == 0);
  CHECK(chain.score == 100);
}

TEST_CASE("if the remote does not answer, a call is unavailable after the timeout and not before") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  (void)host.top(world, 1);
  host.fake.stall(true);
  Told size;
  Told written;
  REQUIRE(ask_size(host, world, &size) == LAUREL_OK);
  REQUIRE(remote().submit(host.boards, world, "ada", 1, nullptr, Told::take, &written, nullptr) ==
          LAUREL_OK);
  host.tick(1'990);
  CHECK(size.times + written.times == 0);
  host.tick(20);
  CHECK(size.times == 1);
  CHECK(size.text == "unavailable: no answer came in time");
  CHECK(written.times == 1);
  CHECK(written.text == "unavailable: outcome unknown: no answer came in time");
  CHECK(written.code == LAUREL_UNAVAILABLE);
}

TEST_CASE("every accepted call is answered once, in every fake network") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::unique_ptr<Told>> asked;  // must outlive the boards
    RemoteHost host(weather({}, seed));
    const laurel_board world = host.board("world");
    (void)host.top(world, 1);
    host.fake.weather = {
        .delay_min = 0, .delay_max = 800'000, .lose_request = 0.1, .lose_answer = 0.1};
    const auto call = [&](Told* told) {
      const std::string player = fmt::format("p{}", random() % 5);
      const char* const id = player.c_str();
      laurel_boards* const boards = host.boards;
      switch (random() % 8) {
        case 0: return remote().rank(boards, world, id, Told::take, told, nullptr);
        case 1: return remote().top(boards, world, 3, Told::take, told, nullptr);
        case 2: return remote().ban(boards, world, id, Told::take, told, nullptr);
        case 3: return remote().reset(boards, world, Told::take, told, nullptr);
        case 4: return remote().size(boards, world, Told::take, told, nullptr);
        default: return remote().add(boards, world, id, 1, nullptr, Told::take, told, nullptr);
      }
    };
    for (int step = 0; step < 400; ++step) {
      if (random() % 60 == 0) host.fake.down(random() % 3 == 0 ? "gone" : "");
      asked.push_back(std::make_unique<Told>());
      CHECK(call(asked.back().get()) == LAUREL_OK);
      host.tick(static_cast<int>(random() % 20));
    }
    host.fake.down("");
    asked.push_back(std::make_unique<Told>());
    CHECK(call(asked.back().get()) == LAUREL_OK);
    int answered = 0;
    for (const auto& told : asked) answered += told->times;
    host.close();
    int closed = 0;
    std::set<laurel_code> codes;
    for (const auto& told : asked) {
      CHECK(told->times == 1);
      codes.insert(told->code);
      closed += told->code == LAUREL_CLOSED ? 1 : 0;
    }
    CHECK(answered + closed == 401);
    CHECK(closed > 0);
    CHECK(codes.contains(LAUREL_OK));
    CHECK(codes.contains(LAUREL_UNAVAILABLE));
  }
}

TEST_CASE("65,536 calls may be pending, and the next one is refused at once") {
  Told told;  // must outlive the boards: one call is pending until the end
  RemoteHost host;
  const laurel_board world = host.board("world");
  host.tick(10);
  host.fake.stall(true);
  int taken = 0;
  while (ask_size(host, world, &told) == LAUREL_OK) ++taken;
  CHECK(taken == 65'536);
  CHECK(std::string(host.error.text) == "unavailable: 65536 calls wait, the most allowed");
  host.fake.stall(false);
  host.tick(2);
  CHECK(told.times == taken);
  CHECK(ask_size(host, world, &told) == LAUREL_OK);
}

// ---- dropping and closing

TEST_CASE("dropping a remote board answers pending calls with unknown") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  REQUIRE(host.submit(world, "ada", 1).code == LAUREL_OK);
  host.fake.weather.delay_min = host.fake.weather.delay_max = 100'000;
  Told waiting;
  Told dropped;
  REQUIRE(remote().drop(host.boards, world, Told::take, &dropped, nullptr) == LAUREL_OK);
  host.tick(150);
  REQUIRE(ask_size(host, world, &waiting) == LAUREL_OK);  // sent when the drop was done, before its
                                                          // answer came
  host.tick(100);
  CHECK(dropped.times == 1);
  CHECK(dropped.changed == 1);
  CHECK(waiting.times == 1);
  CHECK(waiting.text == "unknown: the board was dropped");
  Told after;
  CHECK(ask_size(host, world, &after) == LAUREL_UNKNOWN);
  CHECK(remote().post(host.boards, world, "ada", 1, nullptr, nullptr) == LAUREL_UNKNOWN);
  laurel_remote_state state{};
  CHECK(remote().state(host.boards, world, &state) == 0);
  CHECK(api().find(host.boards, "world", nullptr) == 0);
  host.tick(500);
  CHECK(waiting.times == 1);
  CHECK(after.times == 0);
}

TEST_CASE("close answers pending calls in the order in which they were made") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  host.tick(10);
  host.fake.stall(true);
  struct Waiting {
    RemoteHost* host;
    laurel_boards* boards;
    laurel_board world;
    std::vector<int>* order;
    int number;
  };
  std::vector<int> order;
  std::vector<Waiting> waiting;
  for (int i = 0; i < 30; ++i) waiting.push_back({&host, host.boards, world, &order, i});
  const auto on_answer = [](void* context, const laurel_answer* answer) {
    Waiting& self = *static_cast<Waiting*>(context);
    self.order->push_back(self.number);
    CHECK(answer->code == LAUREL_CLOSED);
    CHECK(std::string(answer->text) == "closed: the boards were closed before the answer came");
    CHECK(answer->entry_count == 0);
  };
  for (Waiting& each : waiting) {
    REQUIRE(remote().top(host.boards, world, 3, on_answer, &each, nullptr) == LAUREL_OK);
  }
  host.close();
  REQUIRE(order.size() == waiting.size());
  CHECK(std::is_sorted(order.begin(), order.end()));
}

// ---- posts and state

TEST_CASE("a post survives an outage, and is pending until it is acknowledged") {
  RemoteHost host;
  laurel_spec spec = empty_spec();
  spec.keep = "sum";
  const laurel_board world = host.board("world", spec);
  host.fake.down("connection refused");
  for (int i = 0; i < 5; ++i) {
    CHECK(remote().post(host.boards, world, "ada", 2, nullptr, &host.error) == LAUREL_OK);
  }
  CHECK(remote().post(host.boards, world, "", 2, nullptr, &host.error) == LAUREL_BAD_PLAYER);
  CHECK(remote().post(host.boards, world, "ada", NAN, nullptr, nullptr) == LAUREL_NOT_FINITE);
  host.tick(3'000);
  const laurel_remote_state away = state_of(host, world);
  CHECK(away.up == 0);
  CHECK(std::string(away.text) == "down: connection refused");
  CHECK(away.pending == 5);
  CHECK(away.oldest == doctest::Approx(3));
  host.fake.down("");
  host.tick(5'000);
  const laurel_remote_state back = state_of(host, world);
  CHECK(back.up == 1);
  CHECK(std::string(back.text) == "up");
  CHECK(back.pending == 0);
  CHECK(back.oldest == 0);
  CHECK(back.refused == 0);
  CHECK(host.top(world, 1).table == "1 ada 10");

  REQUIRE(host.ask([&](Told* told) {
                return remote().ban(host.boards, world, "ada", Told::take, told, nullptr);
              })
              .changed == 1);
  CHECK(remote().post(host.boards, world, "ada", 2, nullptr, nullptr) == LAUREL_OK);
  host.tick(100);
  CHECK(state_of(host, world).refused == 1);
}

TEST_CASE("a state of an older host is not written beyond its size") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  laurel_remote_state state{};
  state.struct_size = offsetof(laurel_remote_state, pending);
  state.pending = 77;
  CHECK(remote().state(host.boards, world, &state) == 1);
  CHECK(state.struct_size == offsetof(laurel_remote_state, pending));
  CHECK(state.pending == 77);
}

// ---- other calls

TEST_CASE("a count with a nan bound is refused at once") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  Told told;
  CHECK(remote().count(host.boards, world, NAN, 1, Told::take, &told, &host.error) ==
        LAUREL_NOT_FINITE);
  CHECK(std::string(host.error.text) == "not_finite: a bound of the range is nan");
  CHECK(remote().archived(host.boards, world, 0, 1, 1, Told::take, &told, nullptr) ==
        LAUREL_UNKNOWN);
  host.tick(20);
  CHECK(told.times == 0);
}

TEST_CASE("archived of remote.h reads a season of a local board from the remote archive") {
  RemoteHost host(
      {.path = {}, .rules = {}, .seed = 1, .weather = {}, .players = false, .archive = true});
  laurel_board here{};
  REQUIRE(api().board(host.boards, "here", nullptr, &here, &host.error) == LAUREL_OK);
  for (const double score : {1.0, 2.0}) {
    REQUIRE(api().submit(host.boards, here, "ada", score, nullptr, nullptr, nullptr) == LAUREL_OK);
    REQUIRE(api().reset(host.boards, here, nullptr, nullptr) == LAUREL_OK);
  }
  host.tick(20);
  const auto archived = [&](uint64_t season, Told* told) {
    return remote().archived(host.boards, here, season, 1, 5, Told::take, told, &host.error);
  };
  const Told past = host.ask([&](Told* told) { return archived(1, told); });
  CHECK(past.code == LAUREL_OK);
  CHECK(past.table == "1 ada 1");
  Told none;
  CHECK(archived(2, &none) == LAUREL_INVALID);
  CHECK(std::string(host.error.text) == "invalid: this season is local: use the calls of laurel.h");
  laurel_board_entry entry{};
  CHECK(api().archived(host.boards, here, 2, 1, &entry, 1) == 1);
  CHECK(archived(0, &none) == LAUREL_UNKNOWN);
  const Told missing = host.ask([&](Told* told) { return archived(9, told); });
  CHECK(missing.code == LAUREL_UNKNOWN);
  CHECK(missing.text == "unknown: season 9 of board \"here\" is not archived");
  host.server.archive->down("connection refused");
  CHECK(host.ask([&](Told* told) { return archived(1, told); }).code == LAUREL_UNAVAILABLE);
  CHECK(none.times == 0);
}

TEST_CASE("a hosted script waits for the same remote board in a task") {
  const laurel::test::Folder folder;
  folder.write("world.lua",
               "laurel.on('rank', function(player)\n"
               "  local world = boards:board('world')\n"
               "  laurel.emit('is', player, (world:rank(player)))\n"
               "end)\n");
  RemoteHost host;
  const laurel_board world = host.board("world");
  std::string said;
  laurel_scripts_config config{};
  config.struct_size = sizeof config;
  config.directory = folder.c_str();
  config.context = &said;
  config.on_emit = [](void* context, const char* event, const laurel_value* values, size_t) {
    *static_cast<std::string*>(context) =
        fmt::format("{} {} {}", event, values[0].string, values[1].number);
  };
  laurel_scripts* const scripts = api().host_scripts(host.boards, &config, &host.error);
  REQUIRE(scripts != nullptr);
  REQUIRE(host.submit(world, "ada", 5).code == LAUREL_OK);
  REQUIRE(host.submit(world, "bob", 9).code == LAUREL_OK);
  const laurel_value ada{LAUREL_STRING, 0, "ada", 3};
  CHECK(api().emit(scripts, "rank", &ada, 1) == 1);
  host.tick(20);
  CHECK(said == "is ada 2");
}

TEST_CASE("the live channel publishes a remote board") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  laurel_serve_config serve{};
  serve.struct_size = sizeof serve;
  laurel_live* const live = api().serve(host.boards, &serve, &host.error);
  REQUIRE_MESSAGE(live != nullptr, host.error.text);
  REQUIRE(api().publish(live, world, 10, 0, &host.error) == LAUREL_OK);
  laurel_connect_config connect{};
  connect.struct_size = sizeof connect;
  connect.port = api().live_port(live);
  laurel_client* const client = api().connect(&connect, nullptr);
  std::string heard;
  const auto on_top = [](void* context, const char*, const laurel_top_entry* entries, size_t count,
                         uint64_t, uint64_t, const char* refusal) {
    auto& text = *static_cast<std::string*>(context);
    text = refusal != nullptr ? refusal : "";
    for (size_t i = 0; i < count; ++i) {
      text += fmt::format("{} {} ", std::string_view(entries[i].player, entries[i].player_size),
                          entries[i].score);
    }
  };
  REQUIRE(api().subscribe(client, "world", 3, on_top, &heard, nullptr) == LAUREL_OK);
  const auto reaches = [&](std::string_view wanted) {
    for (int i = 0; i < 10'000 && !heard.starts_with(wanted); ++i) {
      host.tick();
      api().client_tick(client);
      usleep(1000);  // lets the live thread run; the text ends the loop
    }
    return heard.starts_with(wanted);
  };
  CHECK(host.submit(world, "ada", 3).code == LAUREL_OK);
  CHECK(reaches("ada 3 "));
  CHECK(host.submit(world, "bob", 4).code == LAUREL_OK);
  CHECK(reaches("bob 4 ada 3 "));
  api().unpublish(live, world);
  CHECK(reaches("unknown: "));
  CHECK(api().publish(live, {world.slot, world.generation + 1}, 10, 0, nullptr) == LAUREL_UNKNOWN);
  api().client_close(client);
}
