// The C interface's players: names beside entries, profiles, and new ids.
#include "laurel/players.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;

namespace {

const laurel_players_api& players() {
  REQUIRE(api().players != nullptr);
  return *api().players;
}

std::string name_of(Host& host, std::string_view player) {
  size_t size = 0;
  const char* const name = players().name(host.boards, player.data(), player.size(), &size);
  if (name == nullptr) return "none";
  CHECK(std::string(name).size() == size);
  return name;
}

}  // namespace

TEST_CASE("every function of the table of players is set") {
  CHECK(laurel::test::is_complete(players()));
}

TEST_CASE("the names of players are read beside entries, as they were saved last") {
  Host host;
  const laurel_board board = host.board("b");
  host.submit(board, "p_ada", 2);
  host.submit(board, "p_bea", 1);
  CHECK(name_of(host, "p_ada") == "none");
  REQUIRE(api().save_player(host.boards, "p_ada", "Ada", nullptr, nullptr) == LAUREL_OK);
  laurel_board_entry top[2];
  REQUIRE(api().top(host.boards, board, top, 2) == 2);
  CHECK(name_of(host, {top[0].player, top[0].player_size}) == "Ada");
  CHECK(name_of(host, {top[1].player, top[1].player_size}) == "none");
  CHECK(name_of(host, std::string_view("p_ada and more").substr(0, 5)) == "Ada");
  REQUIRE(api().save_player(host.boards, "p_ada", "Ada L", nullptr, nullptr) == LAUREL_OK);
  CHECK(name_of(host, "p_ada") == "Ada L");
  CHECK(std::string(players().name(host.boards, "p_ada", 5, nullptr)) == "Ada L");
  CHECK(name_of(host, "") == "none");
  CHECK(name_of(host, std::string(300, 'p')) == "none");
  CHECK(players().name(host.boards, nullptr, 0, nullptr) == nullptr);
  CHECK(api().forget(host.boards, "p_ada", nullptr) == LAUREL_OK);
  CHECK(name_of(host, "p_ada") == "none");
}

TEST_CASE("a profile is read by player and by email") {
  Host host;
  laurel_profile profile{};
  profile.struct_size = sizeof profile;
  CHECK(players().profile(host.boards, "ada", &profile) == 0);
  REQUIRE(api().save_player(host.boards, "ada", "Ada", "ada@example.org", nullptr) == LAUREL_OK);
  const int64_t created = host.now;
  host.now += 1'000'000;
  REQUIRE(api().save_player(host.boards, "ada", "Ada L", nullptr, nullptr) == LAUREL_OK);
  REQUIRE(api().save_player(host.boards, "bea", nullptr, nullptr, nullptr) == LAUREL_OK);

  REQUIRE(players().by_email(host.boards, "ada@example.org", &profile) == 1);
  CHECK(profile.struct_size == sizeof profile);
  CHECK(std::string(profile.player) == "ada");
  CHECK(profile.player_size == 3);
  CHECK(std::string(profile.name) == "Ada L");
  CHECK(profile.name_size == 5);
  CHECK(std::string(profile.email) == "ada@example.org");
  CHECK(profile.email_size == 15);
  CHECK(profile.lifetime_score == 0);
  CHECK(profile.games_played == 0);
  CHECK(profile.created_at == created);
  CHECK(profile.updated_at == host.now);

  REQUIRE(players().profile(host.boards, "bea", &profile) == 1);
  CHECK(std::string(profile.player) == "bea");
  CHECK(profile.name == nullptr);
  CHECK(profile.email == nullptr);
  profile.struct_size = offsetof(laurel_profile, email);
  profile.email_size = 77;
  REQUIRE(players().profile(host.boards, "ada", &profile) == 1);
  CHECK(std::string(profile.name) == "Ada L");
  CHECK(profile.email_size == 77);
  CHECK(players().profile(host.boards, nullptr, &profile) == 0);
  CHECK(players().by_email(host.boards, "", &profile) == 0);
}

TEST_CASE("attributes are set and taken off, and read with the profile") {
  Host host;
  laurel_profile profile{};
  profile.struct_size = sizeof profile;
  const auto set = [&](const char* player, std::vector<laurel_attribute> attributes) {
    return players().set_attributes(host.boards, player, attributes.data(), attributes.size(),
                                    &host.error);
  };
  CHECK(set("ada", {{"country", "DE"}, {"clan", "reds"}}) == LAUREL_OK);
  REQUIRE(players().profile(host.boards, "ada", &profile) == 1);
  REQUIRE(profile.attributes_count == 2);
  CHECK(std::string(profile.attributes[0].name) == "clan");
  CHECK(std::string(profile.attributes[0].value) == "reds");
  CHECK(std::string(profile.attributes[1].name) == "country");
  CHECK(set("ada", {{"country", nullptr}}) == LAUREL_OK);
  CHECK(set("ada", {{"country", ""}}) == LAUREL_BAD_DATA);
  CHECK(set("ada", {{nullptr, "x"}}) == LAUREL_BAD_DATA);
  CHECK(set("", {{"clan", "x"}}) == LAUREL_BAD_PLAYER);
  REQUIRE(players().profile(host.boards, "ada", &profile) == 1);
  CHECK(profile.attributes_count == 1);
  CHECK(set("ada", {{"clan", nullptr}}) == LAUREL_OK);
  REQUIRE(players().profile(host.boards, "ada", &profile) == 1);
  CHECK(profile.attributes == nullptr);
  CHECK(profile.attributes_count == 0);
}

TEST_CASE("a player's entries and profile move to another id") {
  Host host;
  const laurel_board board = host.board("b");
  host.submit(board, "guest", 5);
  host.submit(board, "bea", 9);
  REQUIRE(api().save_player(host.boards, "guest", "Ada", nullptr, nullptr) == LAUREL_OK);
  int32_t renamed = -1;
  const auto rename = [&](const char* from, const char* to) {
    return players().rename(host.boards, from, to, &renamed, &host.error);
  };
  CHECK(rename("guest", "bea") == LAUREL_TAKEN);
  CHECK(rename("guest", "ada") == LAUREL_OK);
  CHECK(renamed == 1);
  double score = 0;
  CHECK(api().score(host.boards, board, "ada", &score) == 1);
  CHECK(score == 5);
  CHECK(api().score(host.boards, board, "guest", &score) == 0);
  CHECK(name_of(host, "ada") == "Ada");
  CHECK(rename("guest", "cleo") == LAUREL_OK);
  CHECK(renamed == 0);
  CHECK(rename("ada", "") == LAUREL_BAD_PLAYER);
  CHECK(rename(nullptr, "cleo") == LAUREL_BAD_PLAYER);
}
