// The C interface's seasons, players, counters and reloading of rules.
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "laurel/laurel.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Folder;
using laurel::test::Host;

TEST_CASE("reset ends a season, which stays readable while it is kept") {
  Host host;
  const laurel_board board = host.board("b");
  CHECK(api().season(host.boards, board) == 1);
  host.submit(board, "ada", 3);
  host.submit(board, "bea", 5);
  uint64_t ended = 0;
  CHECK(api().reset(host.boards, board, &ended, &host.error) == LAUREL_OK);
  CHECK(ended == 1);
  CHECK(api().season(host.boards, board) == 2);
  CHECK(api().size(host.boards, board) == 0);

  laurel_board_entry entries[3];
  REQUIRE(api().archived(host.boards, board, 1, 1, entries, 3) == 2);
  CHECK(std::string(entries[0].player, entries[0].player_size) == "bea");
  CHECK(entries[0].rank == 1);
  REQUIRE(api().archived(host.boards, board, 1, 2, entries, 3) == 1);
  CHECK(std::string(entries[0].player, entries[0].player_size) == "ada");
  CHECK(api().archived(host.boards, board, 2, 1, entries, 3) == 0);  // the running season
  CHECK(api().reset(host.boards, board, nullptr, nullptr) == LAUREL_OK);
  CHECK(api().archived(host.boards, board, 1, 1, entries, 3) == 0);  // only one past season is kept
  CHECK(api().archived(host.boards, board, 2, 1, entries, 3) == 0);  // it was empty
}

TEST_CASE("a season that was due has ended at the host's next call") {
  Host host;
  const laurel_field fields[] = {{"reset", "0 0 * * 1", 0}};
  laurel_spec spec = empty_spec();
  spec.fields = fields;
  spec.field_count = 1;
  const laurel_board board = host.board("b", &spec);
  host.submit(board, "ada", 3);
  CHECK(api().season(host.boards, board) == 1);
  host.now += int64_t{8} * 86'400 * 1'000'000;
  CHECK(api().season(host.boards, board) == 2);
  laurel_board_entry entry;
  CHECK(api().archived(host.boards, board, 1, 1, &entry, 1) == 1);
}

TEST_CASE("season calls on a dropped board are refused") {
  Host host;
  const laurel_board board = host.board("b");
  api().drop(host.boards, "b");
  CHECK(api().season(host.boards, board) == 0);
  CHECK(api().reset(host.boards, board, nullptr, &host.error) == LAUREL_UNKNOWN);
  CHECK(api().archived(host.boards, board, 1, 1, nullptr, 1) == 0);
}

TEST_CASE("a player's name and email are saved separately") {
  Host host;
  const auto save = [&](const char* player, const char* name, const char* email) {
    return api().save_player(host.boards, player, name, email, &host.error);
  };
  CHECK(save("ada", "Ada", "ada@example.org") == LAUREL_OK);
  CHECK(save("ada", nullptr, nullptr) == LAUREL_OK);
  CHECK(save("bea", "Bea", "ada@example.org") == LAUREL_TAKEN);
  CHECK(save("bea", "", nullptr) == LAUREL_BAD_DATA);
  CHECK(save("", "Nobody", nullptr) == LAUREL_BAD_PLAYER);
  CHECK(save(nullptr, "Nobody", nullptr) == LAUREL_BAD_PLAYER);
  CHECK(save("ada", nullptr, "new@example.org") == LAUREL_OK);
  CHECK(save("bea", "Bea", "ada@example.org") == LAUREL_OK);
}

TEST_CASE("a forgotten player leaves no trace") {
  Host host;
  const laurel_board board = host.board("b");
  host.submit(board, "ada", 3);
  CHECK(api().save_player(host.boards, "ada", "Ada", "ada@example.org", nullptr) == LAUREL_OK);
  api().reset(host.boards, board, nullptr, nullptr);
  host.submit(board, "ada", 4);
  CHECK(api().forget(host.boards, "ada", &host.error) == LAUREL_OK);
  CHECK(api().size(host.boards, board) == 0);
  laurel_board_entry entry;
  CHECK(api().archived(host.boards, board, 1, 1, &entry, 1) == 0);
  CHECK(api().save_player(host.boards, "bea", "Bea", "ada@example.org", nullptr) == LAUREL_OK);
  CHECK(api().forget(host.boards, "ada", &host.error) == LAUREL_OK);
  CHECK(api().forget(host.boards, nullptr, &host.error) == LAUREL_BAD_PLAYER);
}

TEST_CASE("counters are reported with their names") {
  Host host;
  const laurel_board board = host.board("b");
  host.submit(board, "ada", 3);
  host.submit(board, "ada", 2);
  host.submit(board, "", 2);
  api().tick(host.boards);
  std::map<std::string, double> counted;
  api().stats(host.boards, laurel::test::count_into, &counted);
  CHECK(counted.size() >= 29);
  CHECK(counted.at("boards") == 1);
  CHECK(counted.at("entries") == 1);
  CHECK(counted.at("submissions") == 3);
  CHECK(counted.at("changed") == 1);
  CHECK(counted.at("refused") == 1);
  CHECK(counted.at("ticks") == 1);
}

TEST_CASE("reload_rules reloads every rule and reports those that failed") {
  const Folder rules;
  rules.write("good.lua", "return {}");
  rules.write("bad.lua", "return {");
  Host host(rules.c_str());
  for (const char* rule : {"good", "bad"}) {
    laurel_spec spec = empty_spec();
    spec.rule = rule;
    host.board(rule, &spec);
  }
  std::vector<std::string> told;
  const auto on_error = [](void* context, const char* rule, const char* error) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(rule) + ": " + error);
  };
  CHECK(api().reload_rules(host.boards, on_error, &told) == 1);
  REQUIRE(told.size() == 1);
  CHECK(told[0].rfind("bad: ", 0) == 0);
  CHECK(told[0].find("bad.lua:1: ") != std::string::npos);
  CHECK(api().reload_rules(host.boards, nullptr, nullptr) == 1);
  Host without;
  CHECK(api().reload_rules(without.boards, on_error, &told) == 0);
}
