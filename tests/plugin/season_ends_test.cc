// The C interface's handlers of season ends, and facts about seasons.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "laurel/seasons.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Folder;
using laurel::test::Host;

namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kWeek = 7 * 86'400 * kSecond;
const std::vector<laurel_field> kWeekly = {{"reset", "0 0 * * 1", 0}, {"archive", nullptr, 2}};

const laurel_seasons_api& seasons() {
  REQUIRE(api().seasons != nullptr);
  return *api().seasons;
}

// A handler, which is the context of its calls.
struct Hearer {
  static laurel_code take(void* context, const laurel_ended_season* ended, laurel_error* error) {
    auto& hearer = *static_cast<Hearer*>(context);
    CHECK(ended->struct_size == sizeof *ended);
    CHECK(error->code == LAUREL_OK);
    CHECK(std::string(error->text).empty());
    hearer.heard += fmt::format("{} {}, ", ended->board_name, ended->season);
    hearer.last = *ended;
    hearer.id = ended->id;
    return hearer.then ? hearer.then(*ended, error) : LAUREL_OK;
  }

  std::string heard;
  std::string id;
  laurel_ended_season last{};  // its strings are not valid
  std::function<laurel_code(const laurel_ended_season&, laurel_error*)> then;
};

laurel_season_handler listen(Host& host, const char* name, Hearer& hearer) {
  laurel_season_handler handler = 0;
  REQUIRE(seasons().listen(host.boards, name, Hearer::take, &hearer, &handler, &host.error) ==
          LAUREL_OK);
  CHECK(handler != 0);
  return handler;
}

std::string tick(Host& host, Hearer& hearer) {
  hearer.heard.clear();
  api().tick(host.boards);
  return hearer.heard;
}

std::string waiting(Host& host) {
  std::string text;
  const size_t count = seasons().waiting(
      host.boards,
      [](void* context, const laurel_waiting_end* end) {
        CHECK(end->struct_size == sizeof *end);
        *static_cast<std::string*>(context) += fmt::format(
            "{} {} {} {} '{}'\n", end->name, end->board, end->season, end->tries, end->error);
      },
      &text);
  CHECK(count == static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
  CHECK(seasons().waiting(host.boards, nullptr, nullptr) == count);
  return text;
}

}  // namespace

TEST_CASE("every function of the table of seasons is set") {
  CHECK(laurel::test::is_complete(seasons()));
}

TEST_CASE("a handler hears once of each season that ended, and can read it and write") {
  const Folder disk;
  Host host(nullptr, disk.c_str());
  const laurel_board board = host.board("b", kWeekly);
  host.submit(board, "ada", 3);
  host.submit(board, "bea", 5);
  Hearer hearer;
  std::string read;
  hearer.then = [&](const laurel_ended_season& ended, laurel_error* error) {
    laurel_board_entry entries[3];
    const size_t n = api().archived(host.boards, ended.board, ended.season, 1, entries, 3);
    read = laurel::test::table(entries, n);
    laurel_board_entry entry{};
    CHECK(seasons().standing(host.boards, ended.board, ended.season, "bea", &entry) == 1);
    CHECK(entry.rank == 1);
    CHECK(api().flush(host.boards, error) == LAUREL_UNAVAILABLE);
    return api().add(host.boards, ended.board, "bea", 100, nullptr, nullptr, error);
  };
  listen(host, "prizes", hearer);
  CHECK(tick(host, hearer).empty());
  host.now += kWeek;
  CHECK(tick(host, hearer) == "b 1, ");
  CHECK(read == "1 bea 5, 2 ada 3");
  CHECK(hearer.last.size == 2);
  CHECK(hearer.last.started == host.now - kWeek);
  CHECK(hearer.last.ended > hearer.last.started);
  CHECK(hearer.last.ended <= host.now);
  const std::string first = hearer.id;
  CHECK(tick(host, hearer).empty());
  CHECK(waiting(host).empty());

  laurel_board_entry entry{};
  REQUIRE(api().top(host.boards, board, &entry, 1) == 1);  // the prize is in the next season
  CHECK(entry.score == 100);
  host.now += kWeek;
  CHECK(tick(host, hearer) == "b 2, ");
  CHECK(hearer.id != first);
}

TEST_CASE("seasons of boards that end at one moment are told in the order of their creation") {
  Host host;
  // Memory of boards that were dropped is used again, in another order.
  for (int i = 0; i < 20; ++i) host.board(fmt::format("dropped {}", i).c_str(), kWeekly);
  for (int i = 0; i < 20; ++i) api().drop(host.boards, fmt::format("dropped {}", i).c_str());
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    host.submit(host.board(fmt::format("board {}", i).c_str(), kWeekly), "ada", 3);
    expected += fmt::format("board {} 1, ", i);
    api().tick(host.boards);
  }
  Hearer hearer;
  listen(host, "prizes", hearer);
  host.now += kWeek;
  CHECK(tick(host, hearer) == expected);
}

TEST_CASE("a handler that fails is called again after a second, then two; others do not wait") {
  Host host;
  const laurel_board one = host.board("one", kWeekly);
  const laurel_board two = host.board("two", kWeekly);
  host.submit(one, "ada", 3);
  host.submit(two, "ada", 3);
  Hearer hearer;
  hearer.then = [&](const laurel_ended_season& ended, laurel_error* error) -> laurel_code {
    if (std::string(ended.board_name) == "two") return LAUREL_OK;
    return api().submit(host.boards, {0, 0}, "ada", 1, nullptr, nullptr, error);
  };
  listen(host, "prizes", hearer);
  host.now += kWeek;
  CHECK(tick(host, hearer) == "one 1, two 1, ");
  CHECK(waiting(host) == "prizes one 1 1 'unknown: this board was dropped or never opened'\n");
  CHECK(host.logged().find("season end \"prizes\" of board \"one\", season 1: unknown: ") !=
        std::string::npos);
  host.now += kSecond / 2;
  CHECK(tick(host, hearer).empty());
  host.now += kSecond / 2;
  CHECK(tick(host, hearer) == "one 1, ");
  host.now += kSecond;
  CHECK(tick(host, hearer).empty());
  host.now += kSecond;
  hearer.then = [](const laurel_ended_season&, laurel_error*) { return LAUREL_REJECTED; };
  CHECK(tick(host, hearer) == "one 1, ");
  CHECK(waiting(host) == "prizes one 1 3 'the handler returned 9'\n");
  hearer.then = nullptr;
  host.now += 4 * kSecond;
  CHECK(tick(host, hearer) == "one 1, ");
  CHECK(waiting(host).empty());
}

TEST_CASE("a failure's text that fills its place without a zero ends with it") {
  Host host;
  host.submit(host.board("b", kWeekly), "ada", 3);
  Hearer hearer;
  hearer.then = [](const laurel_ended_season&, laurel_error* error) {
    std::fill(std::begin(error->text), std::end(error->text), 'x');
    return LAUREL_INVALID;
  };
  listen(host, "prizes", hearer);
  host.now += kWeek;
  CHECK(tick(host, hearer) == "b 1, ");
  CHECK(waiting(host) ==
        fmt::format("prizes b 1 1 '{}'\n", std::string(sizeof laurel_error::text, 'x')));
}

TEST_CASE("a name stays registered after a restart, and hears of what ended meanwhile") {
  const Folder disk;
  Hearer hearer;
  int64_t now = 0;
  {
    Host host(nullptr, disk.c_str());
    host.submit(host.board("b", kWeekly), "ada", 3);
    listen(host, "prizes", hearer);
    now = host.now;
  }
  Host host(nullptr, disk.c_str());
  host.now = now + kWeek;
  CHECK(tick(host, hearer).empty());  // no process has a handler now
  CHECK(waiting(host) == "prizes b 1 0 ''\n");
  listen(host, "prizes", hearer);
  CHECK(tick(host, hearer) == "b 1, ");
  CHECK(waiting(host).empty());
}

TEST_CASE("a handler can be replaced and stopped, also in itself, and its name forgotten") {
  Host host;
  const laurel_board board = host.board("b", kWeekly);
  host.submit(board, "ada", 3);
  Hearer first;
  Hearer second;
  const laurel_season_handler replaced = listen(host, "prizes", first);
  laurel_season_handler handler = 0;
  second.then = [&](const laurel_ended_season&, laurel_error*) {
    seasons().stop(host.boards, handler);
    return LAUREL_OK;
  };
  handler = listen(host, "prizes", second);
  seasons().stop(host.boards, replaced);  // does nothing
  host.now += kWeek;
  CHECK(tick(host, second) == "b 1, ");
  CHECK(first.heard.empty());

  host.submit(board, "ada", 3);
  host.now += kWeek;
  CHECK(tick(host, second).empty());
  CHECK(waiting(host) == "prizes b 2 0 ''\n");
  int32_t forgotten = -1;
  CHECK(seasons().forget(host.boards, "prizes", &forgotten, &host.error) == LAUREL_OK);
  CHECK(forgotten == 1);
  CHECK(waiting(host).empty());
  CHECK(seasons().forget(host.boards, "prizes", &forgotten, nullptr) == LAUREL_OK);
  CHECK(forgotten == 0);
}

TEST_CASE("a name or handler that cannot be is refused") {
  Host host;
  Hearer hearer;
  const auto listen_as = [&](const char* name, laurel_on_season_end on_end) {
    return seasons().listen(host.boards, name, on_end, &hearer, nullptr, &host.error);
  };
  CHECK(listen_as("", Hearer::take) == LAUREL_BAD_DATA);
  CHECK(listen_as(nullptr, Hearer::take) == LAUREL_BAD_DATA);
  CHECK(listen_as(std::string(256, 'n').c_str(), Hearer::take) == LAUREL_BAD_DATA);
  CHECK(listen_as("prizes", nullptr) == LAUREL_INVALID);
  for (int i = 0; i < 64; ++i) {
    CHECK(listen_as(fmt::format("n{}", i).c_str(), Hearer::take) == LAUREL_OK);
  }
  CHECK(listen_as("prizes", Hearer::take) == LAUREL_UNAVAILABLE);
}

TEST_CASE("the facts of running and past seasons are told") {
  Host host;
  const int64_t begun = host.now;
  const laurel_board plain = host.board("plain");
  laurel_season_facts facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(seasons().facts(host.boards, plain, 0, &facts) == 1);
  CHECK(facts.struct_size == sizeof facts);
  CHECK(facts.number == 1);
  CHECK(facts.started == begun);
  CHECK(facts.has_ended == 0);
  CHECK(facts.has_resets_at == 0);
  CHECK(facts.has_closes_at == 0);

  const laurel_board board = host.board(
      "b", {{"reset", "0 0 * * *", 0}, {"duration", nullptr, 3'600}, {"archive", nullptr, 2}});
  REQUIRE(seasons().facts(host.boards, board, 0, &facts) == 1);
  REQUIRE(facts.has_resets_at == 1);
  REQUIRE(facts.has_closes_at == 1);
  constexpr int64_t kDay = 86'400 * kSecond;
  CHECK(facts.started == begun / kDay * kDay);
  CHECK(facts.closes_at == facts.started + 3'600 * kSecond);
  CHECK(facts.resets_at == facts.started + kDay);

  const int64_t started = facts.started;
  host.now = facts.resets_at + kSecond;
  REQUIRE(seasons().facts(host.boards, board, 0, &facts) == 1);
  const uint64_t number = facts.number;
  CHECK(host.submit(board, "ada", 3) == LAUREL_OK);
  host.now += kDay;
  REQUIRE(seasons().facts(host.boards, board, number, &facts) == 1);
  CHECK(facts.size == 1);
  CHECK(facts.has_ended == 1);
  CHECK(facts.ended == started + 2 * kDay);
  CHECK(facts.has_resets_at == 0);
  REQUIRE(seasons().facts(host.boards, board, number + 1, &facts) == 1);
  CHECK(facts.has_ended == 0);

  facts.struct_size = offsetof(laurel_season_facts, ended);
  facts.ended = 77;
  REQUIRE(seasons().facts(host.boards, board, number, &facts) == 1);
  CHECK(facts.ended == 77);
  CHECK(seasons().facts(host.boards, board, 99, &facts) == 0);
  CHECK(seasons().facts(host.boards, {0, 0}, 0, &facts) == 0);
}

TEST_CASE("the numbers of kept seasons and a player's place in each can be read") {
  Host host;
  const laurel_board board = host.board("b", {{"archive", nullptr, 2}});
  for (int season = 1; season <= 4; ++season) {
    host.submit(board, "ada", season);
    host.submit(board, "bea", 3);
    if (season < 4) CHECK(api().reset(host.boards, board, nullptr, nullptr) == LAUREL_OK);
  }
  uint64_t numbers[9] = {};
  REQUIRE(seasons().kept(host.boards, board, numbers, 9) == 3);
  CHECK(numbers[0] == 4);
  CHECK(numbers[1] == 3);
  CHECK(numbers[2] == 2);
  CHECK(seasons().kept(host.boards, board, numbers, 1) == 1);
  CHECK(seasons().kept(host.boards, board, nullptr, 0) == 0);
  CHECK(seasons().kept(host.boards, {0, 0}, numbers, 9) == 0);

  laurel_board_entry entry{};
  const auto standing = [&](uint64_t season, const char* player) {
    return seasons().standing(host.boards, board, season, player, &entry);
  };
  REQUIRE(standing(2, "ada") == 1);
  CHECK(std::string(entry.player, entry.player_size) == "ada");
  CHECK(entry.rank == 2);
  CHECK(entry.score == 2);
  REQUIRE(standing(0, "ada") == 1);
  CHECK(entry.rank == 1);
  REQUIRE(standing(4, "ada") == 1);
  CHECK(entry.score == 4);
  CHECK(standing(1, "ada") == 0);
  CHECK(standing(2, "cleo") == 0);
  CHECK(standing(2, nullptr) == 0);
}
