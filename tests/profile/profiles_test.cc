#include "profile/profiles.h"

#include <limits>

#include "fixture.h"

namespace laurel {

TEST_CASE("S3-AP1: a profile is found by id") {
  Fixture game;
  game.save({.id = "p_alice", .name = "alice42", .email = "alice@x.com"});
  CHECK(shown(game.profiles.get("p_alice")) == "p_alice alice42 alice@x.com 0 in 0");
  CHECK(shown(game.profiles.get("p_bob")) == "nobody");
  CHECK(shown(game.profiles.get("")) == "nobody");
  CHECK(shown(game.profiles.get(std::string(100'000, 'x'))) == "nobody");
}

TEST_CASE("S3-AP2: a profile is found by email") {
  Fixture game;
  game.save({.id = "p_alice", .name = "alice42", .email = "alice@x.com"});
  game.save({.id = "p_bob"});
  CHECK(game.profiles.by_email("alice@x.com")->id == "p_alice");
  CHECK(shown(game.profiles.by_email("Alice@x.com")) == "nobody");
  CHECK(shown(game.profiles.by_email("")) == "nobody");
  CHECK(shown(game.profiles.by_email(std::string(100'000, 'x'))) == "nobody");
}

TEST_CASE("S3-AP2: a changed email finds the profile, and the old one finds none") {
  Fixture game;
  game.save({.id = "p_alice", .email = "alice@x.com"});
  game.save({.id = "p_alice", .email = "alice@y.com"});
  CHECK(shown(game.profiles.by_email("alice@x.com")) == "nobody");
  CHECK(game.profiles.by_email("alice@y.com")->id == "p_alice");
  game.save({.id = "p_bob", .email = "alice@x.com"});  // the old email is free
  CHECK(game.profiles.by_email("alice@x.com")->id == "p_bob");
}

TEST_CASE("S3-AP2: another player's email is refused, and nothing changes") {
  Fixture game;
  game.save({.id = "p_alice", .email = "alice@x.com"});
  game.save({.id = "p_bob", .name = "bob", .email = "bob@x.com"});
  const Status saved =
      game.profiles.save({.id = "p_bob", .name = "robert", .email = "alice@x.com"}, game.now);
  CHECK(saved.refusal().text() == "taken: another player has the email \"alice@x.com\"");
  CHECK(shown(game.profiles.get("p_bob")) == "p_bob bob bob@x.com 0 in 0");
  CHECK(game.profiles.by_email("alice@x.com")->id == "p_alice");
  CHECK(verdict(game.profiles.save({.id = "p_new", .email = "bob@x.com"}, game.now)) == "taken");
  CHECK(shown(game.profiles.get("p_new")) == "nobody");
  CHECK(verdict(game.profiles.save({.id = "p_bob", .email = "bob@x.com"}, game.now)) == "ok");
}

TEST_CASE("save does not change omitted fields") {
  Fixture game;
  game.save({.id = "p", .name = "first", .email = "p@x.com"});
  game.save({.id = "p", .name = "second"});
  CHECK(shown(game.profiles.get("p")) == "p second p@x.com 0 in 0");
  game.save({.id = "p", .email = "p@y.com"});
  CHECK(shown(game.profiles.get("p")) == "p second p@y.com 0 in 0");
  game.save({.id = "p"});
  CHECK(shown(game.profiles.get("p")) == "p second p@y.com 0 in 0");
}

TEST_CASE("ids, names and emails have 1 to 255 bytes") {
  Fixture game;
  const std::string longest(255, 'x');
  const std::string too_long(256, 'x');
  game.save({.id = longest, .name = longest, .email = longest});
  CHECK(game.profiles.by_email(longest)->name == longest);
  const auto refusal = [&](const ProfileFields& fields) {
    return std::string(game.profiles.save(fields, game.now).refusal().text());
  };
  CHECK(refusal({.id = ""}) == "bad_player: the id is empty");
  CHECK(refusal({.id = too_long}).starts_with("bad_player: the id has 256 bytes"));
  CHECK(refusal({.id = std::string_view("a\0b", 3)}).starts_with("bad_player: the id \"a\\x00b\""));
  CHECK(refusal({.id = "p", .name = ""}) == "bad_data: the name has 0 bytes; 1 to 255 are allowed");
  CHECK(refusal({.id = "p", .name = too_long}).starts_with("bad_data: the name has 256 bytes"));
  CHECK(refusal({.id = "p", .email = ""}).starts_with("bad_data: the email has 0 bytes"));
  CHECK(refusal({.id = "p", .email = too_long}).starts_with("bad_data: the email has 256 bytes"));
  CHECK(shown(game.profiles.get("p")) == "nobody");
}

TEST_CASE("S3-20, S3-21: ids and emails that look like keys do not collide") {
  Fixture game;
  for (const std::string& id : kTrickyIds) game.save({.id = id, .name = id, .email = id});
  for (const std::string& id : kTrickyIds) {
    CAPTURE(id);
    CHECK(game.profiles.get(id)->name == id);
    CHECK(game.profiles.by_email(id)->id == id);
  }
  CHECK(shown(game.profiles.by_email("EMAIL#a")) == "nobody");
  CHECK(shown(game.profiles.get("EMAIL#a")) == "nobody");
  CHECK(game.store->size() == 2 * kTrickyIds.size());
}

TEST_CASE("an email may have a zero byte") {
  Fixture game;
  const std::string_view email("a\0PROFILE", 9);
  game.save({.id = "a", .email = email});
  CHECK(game.profiles.by_email(email)->id == "a");
  CHECK(shown(game.profiles.by_email("a")) == "nobody");
}

TEST_CASE("S3-24: a new profile has the defaults and is created now") {
  Fixture game;
  game.save({.id = "p"});
  const Profile profile = *game.profiles.get("p");
  CHECK(shown(profile) == "p - - 0 in 0");
  CHECK(profile.created_at == game.now);
  CHECK(profile.updated_at == game.now);
}

TEST_CASE("S3-24: created_at never changes, updated_at changes with every change") {
  Fixture game;
  game.save({.id = "p", .name = "first"});
  const Time created = game.now;
  game.save({.id = "p", .name = "second"});
  CHECK(game.profiles.get("p")->created_at == created);
  CHECK(game.profiles.get("p")->updated_at == game.now);
  game.save({.id = "p", .email = "p@x.com"});
  CHECK(game.profiles.get("p")->updated_at == game.now);
  game.record({.player = "p", .game = "tetris", .score = 1, .seconds = 1});
  CHECK(game.profiles.get("p")->created_at == created);
  CHECK(game.profiles.get("p")->updated_at == game.now);
}

TEST_CASE("S3-24: updated_at stays if nothing changes, and never goes back with the clock") {
  Fixture game;
  game.save({.id = "p", .name = "first", .email = "p@x.com"});
  const Time changed = game.now;
  game.save({.id = "p", .name = "first"});
  game.save({.id = "p"});
  CHECK(game.profiles.get("p")->updated_at == changed);
  game.now -= 1000 * kSecond;
  game.save({.id = "p", .name = "second"});
  CHECK(game.profiles.get("p")->updated_at == changed);
}

TEST_CASE("forget erases the whole profile, and the email is free") {
  Fixture game;
  game.save({.id = "p", .name = "p", .email = "p@x.com"});
  CHECK(game.profiles.forget("p"));
  CHECK_FALSE(game.profiles.forget("p"));
  CHECK_FALSE(game.profiles.forget(""));
  CHECK(game.store->size() == 0);
  game.save({.id = "q", .email = "p@x.com"});
  CHECK(game.profiles.by_email("p@x.com")->id == "q");
}

TEST_CASE("each visits every profile once in the order of ids, for any number of sessions") {
  Fixture game;
  for (const std::string& id : kTrickyIds) {
    for (int i = 0; i < 3; ++i) game.record({.player = id, .game = id, .score = 1, .seconds = 1});
  }
  std::vector<std::string> visited;
  game.profiles.each([&](const Profile& profile) { visited.emplace_back(profile.id); });
  std::vector<std::string> sorted = kTrickyIds;
  std::sort(sorted.begin(), sorted.end());  // std::string compares bytes as unsigned
  CHECK(visited == sorted);
}

TEST_CASE("restore writes the same profile, also a second time") {
  Fixture game;
  const Profile alice{.id = "p_alice",
                      .name = "alice42",
                      .email = "alice@x.com",
                      .lifetime_score = 145200.5,
                      .games_played = 87,
                      .created_at = -5 * kSecond,
                      .updated_at = 7 * kSecond + 1};
  game.save({.id = "p_alice", .email = "old@x.com"});
  for (int i = 0; i < 2; ++i) {
    REQUIRE(verdict(game.profiles.restore(alice)) == "ok");
    const Profile restored = *game.profiles.by_email("alice@x.com");
    CHECK(shown(restored) == "p_alice alice42 alice@x.com 145200.5 in 87");
    CHECK(restored.created_at == alice.created_at);
    CHECK(restored.updated_at == alice.updated_at);
  }
  CHECK(shown(game.profiles.by_email("old@x.com")) == "nobody");
  CHECK(game.store->size() == 2);
}

TEST_CASE("restore refuses the profiles that save refuses") {
  Fixture game;
  game.save({.id = "a", .email = "a@x.com"});
  CHECK(verdict(game.profiles.restore({.id = ""})) == "bad_player");
  CHECK(verdict(game.profiles.restore({.id = "b", .name = ""})) == "bad_data");
  CHECK(verdict(game.profiles.restore({.id = "b", .email = "a@x.com"})) == "taken");
  CHECK(verdict(game.profiles.restore(
            {.id = "b", .lifetime_score = std::numeric_limits<double>::infinity()})) ==
        "not_finite");
  CHECK(shown(game.profiles.get("b")) == "nobody");
}

}  // namespace laurel
