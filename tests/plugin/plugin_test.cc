// The C interface through the table that laurel_entry returns.
#include <cmath>
#include <cstring>
#include <filesystem>
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

TEST_CASE("a host with another ABI version gets no table") {
  CHECK(laurel_entry(LAUREL_ABI_VERSION + 1) == nullptr);
  CHECK(laurel_entry(0) == nullptr);
  CHECK(api().struct_size == sizeof(laurel_api));
}

TEST_CASE("every function of the table is set") {
  const auto* places = reinterpret_cast<void* const*>(&api().open);
  const auto* end = reinterpret_cast<void* const*>(&api() + 1);
  for (const auto* place = places; place != end; ++place) CHECK(*place != nullptr);
}

TEST_CASE("a host without a config gets its own registry") {
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

TEST_CASE("submitted results can be read with their ranks") {
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

TEST_CASE("data and moments are stored with a result") {
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

TEST_CASE("every field of a spec is applied, and an invalid one is named") {
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

TEST_CASE("a struct of an older host is read up to its size") {
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

TEST_CASE("a refusal has a code and a message, and changes nothing") {
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

TEST_CASE("calls on a dropped board are refused") {
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

TEST_CASE("a batch is applied in order and sets the code of each result") {
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

TEST_CASE("the host joins, bans and removes players") {
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

TEST_CASE("board rules judge the host's submissions and reload at tick") {
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

TEST_CASE("around gives the player with its neighbours, shifted at the ends of the board") {
  Host host;
  const laurel_board board = host.board("b");
  for (int i = 1; i <= 9; ++i) host.submit(board, fmt::format("p{}", i).c_str(), i);
  const auto around = [&](const char* player, size_t n) {
    std::vector<laurel_board_entry> entries(2 * n + 1);
    entries.resize(api().around(host.boards, board, player, n, entries.data()));
    std::string text;
    for (const laurel_board_entry& entry : entries) {
      text += fmt::format("{} {} ", entry.rank, std::string(entry.player, entry.player_size));
    }
    return text;
  };
  CHECK(around("p5", 1) == "4 p6 5 p5 6 p4 ");
  CHECK(around("p9", 1) == "1 p9 2 p8 3 p7 ");
  CHECK(around("p1", 1) == "7 p3 8 p2 9 p1 ");
  CHECK(around("p5", 0) == "5 p5 ");
  CHECK(around("p5", 50).size() == 9 * 5);
  CHECK(around("nobody", 1).empty());
  CHECK(api().around(host.boards, {0, 0}, "p5", 1, nullptr) == 0);
  CHECK(api().around(host.boards, board, nullptr, 1, nullptr) == 0);
}

TEST_CASE("a field of a spec may be given by name for any engine") {
  Host host;
  const laurel_field fields[] = {{"rule_failure", "keep", 0}, {"archive", nullptr, 3}};
  laurel_spec spec = empty_spec();
  spec.fields = fields;
  spec.field_count = 2;
  laurel_board board{};
  CHECK(api().board(host.boards, "b", &spec, &board, &host.error) == LAUREL_OK);
  const laurel_field wrong[] = {{"rule_failure", "forget", 0}};
  spec.fields = wrong;
  spec.field_count = 1;
  CHECK(api().board(host.boards, "b", &spec, &board, &host.error) == LAUREL_INVALID);
  CHECK(std::string(host.error.text) ==
        "invalid: field 'rule_failure' is \"forget\"; it takes \"refuse\" or \"keep\"");
}
