#include "profile/sessions.h"

#include <cmath>
#include <limits>

#include "base/limits.h"
#include "fixture.h"
#include "store/entries.h"

namespace laurel {

namespace {

constexpr double kMax = std::numeric_limits<double>::max();

NewSession tetris(std::string_view player, double score) {
  return {.player = player, .game = "tetris", .score = score, .seconds = 285};
}

NewSession tetris(std::string_view player, double score, std::string_view id) {
  NewSession session = tetris(player, score);
  session.id = id;
  return session;
}

NewSession in(std::string_view game, std::string_view player) {
  return {.player = player, .game = game, .score = 1, .seconds = 1};
}

}  // namespace

TEST_CASE("a session is read with the values that were recorded") {
  Fixture game;
  const std::string id = game.record({.player = "p_alice",
                                      .game = "tetris",
                                      .score = 8420,
                                      .seconds = 285.25,
                                      .data = "level 9",
                                      .at = 1.5});
  const Session session = *game.sessions.get("p_alice", id);
  CHECK(session.id == id);
  CHECK(shown(session) == "p_alice tetris 8420 in 285.25 s");
  CHECK(session.data == "level 9");
  CHECK(session.at == 1'500'000);
}

TEST_CASE("a session without a time is of now, and no data differs from empty data") {
  Fixture game;
  NewSession session = tetris("p", 1);
  const std::string without = game.record(session);
  CHECK(game.sessions.get("p", without)->at == game.now);
  CHECK(game.sessions.get("p", without)->data == std::nullopt);
  session.data = "";
  CHECK(game.sessions.get("p", game.record(session))->data == "");
}

TEST_CASE("S3-AP6: of_player lists the newest sessions first, up to the limit") {
  Fixture game;
  game.record(tetris("p_alice", 1, ulid(2)));
  game.record(tetris("p_alice", 1, ulid(1)));
  game.record(tetris("p_alice", 1, ulid(3)));
  game.record(tetris("p_bob", 1, ulid(4)));
  const auto of_alice = [&](std::size_t limit) {
    return ids(game.sessions.of_player("p_alice", limit));
  };
  CHECK(of_alice(100) == std::vector{ulid(3), ulid(2), ulid(1)});
  CHECK(of_alice(2) == std::vector{ulid(3), ulid(2)});
  CHECK(of_alice(0).empty());
  CHECK(game.sessions.of_player("p_carol", 100).empty());
  CHECK(game.sessions.of_player("", 100).empty());
  CHECK(game.sessions.of_player(std::string(100'000, 'x'), 100).empty());
}

TEST_CASE("S3-AP6: generated ids sort by the times of the sessions") {
  Fixture game;
  std::vector<std::string> made;
  for (const double at : {-1e9, 0.001, 1.6e9, 1.6e9 + 0.001, 8589934592.0}) {
    NewSession session = tetris("p", at);
    session.at = at;
    made.insert(made.begin(), game.record(session));
  }
  CHECK(ids(game.sessions.of_player("p", 100)) == made);
}

TEST_CASE("S3-AP6: sessions of now keep the order of recording when the clock goes back") {
  Fixture game;
  std::vector<std::string> made;
  for (const Time now : {game.now, game.now, game.now - 1000 * kSecond, game.now + 1}) {
    made.insert(made.begin(), *game.sessions.record(tetris("p", 1), now));
  }
  CHECK(ids(game.sessions.of_player("p", 100)) == made);
}

TEST_CASE("pages of sessions have no gaps and no duplicates") {
  Fixture game;
  for (int i = 1; i <= 10; ++i) game.record(tetris(i % 2 == 0 ? "a" : "b", 1, ulid(i)));
  std::vector<std::string> joined;
  std::optional<std::string> before;
  for (;;) {
    const std::vector<std::string> page = ids(game.sessions.in_game("tetris", 3, before));
    if (page.empty()) break;
    joined.insert(joined.end(), page.begin(), page.end());
    before = page.back();
  }
  CHECK(joined == ids(game.sessions.in_game("tetris", 100)));
  CHECK(joined.size() == 10);
  CHECK(ids(game.sessions.of_player("a", 100, ulid(6))) == std::vector{ulid(4), ulid(2)});
}

TEST_CASE("a page of sessions may begin before any text") {
  Fixture game;
  game.record(tetris("p", 1, ulid(1)));
  game.record(tetris("p", 1, ulid(3)));
  const auto before = [&](std::string_view text) {
    return game.sessions.of_player("p", 100, text).size();
  };
  CHECK(before(ulid(2)) == 1);
  CHECK(before(ulid(3)) == 1);
  CHECK(before(ulid(3) + "0") == 2);
  CHECK(before("") == 0);
  CHECK(before("~~~") == 2);
  CHECK(before(std::string(100'000, 'Z')) == 2);
}

TEST_CASE("S3-AP7: in_game lists the newest sessions of all players first") {
  Fixture game;
  game.record(tetris("p_alice", 10, ulid(1)));
  game.record(tetris("p_bob", 20, ulid(2)));
  NewSession other = in("tetris2", "p_bob");
  game.record(other);
  const std::vector<Session> sessions = game.sessions.in_game("tetris", 100);
  REQUIRE(ids(sessions) == std::vector{ulid(2), ulid(1)});
  CHECK(shown(sessions[0]) == "p_bob tetris 20 in 285 s");
  CHECK(shown(sessions[1]) == "p_alice tetris 10 in 285 s");
  CHECK(game.sessions.in_game("tet", 100).empty());
  CHECK(game.sessions.in_game("", 100).empty());
  CHECK(game.sessions.in_game(std::string(100'000, 'x'), 100).empty());
}

TEST_CASE("S3-AP8: a session is found only by its player and id together") {
  Fixture game;
  game.save({.id = "p_bob"});
  const std::string id = game.record(tetris("p_alice", 8420));
  CHECK(shown(game.sessions.get("p_alice", id)) == "p_alice tetris 8420 in 285 s");
  CHECK(shown(game.sessions.get("p_bob", id)) == "none");
  CHECK(shown(game.sessions.get("p_alice", ulid(1))) == "none");
  CHECK(shown(game.sessions.get("p_alice", "")) == "none");
  CHECK(shown(game.sessions.get("", id)) == "none");
  CHECK(shown(game.sessions.get("p_alice", std::string(100'000, 'x'))) == "none");
}

TEST_CASE("S3-20, S3-21: sessions of players and games that look like keys do not mix") {
  Fixture game;
  for (const std::string& player : kTrickyIds) {
    for (const std::string& played : kTrickyIds) game.record(in(played, player));
  }
  for (const std::string& id : kTrickyIds) {
    CAPTURE(id);
    const std::vector<Session> of_player = game.sessions.of_player(id, SIZE_MAX);
    CHECK(of_player.size() == kTrickyIds.size());
    for (const Session& session : of_player) CHECK(session.player == id);
    const std::vector<Session> in_game = game.sessions.in_game(id, SIZE_MAX);
    CHECK(in_game.size() == kTrickyIds.size());
    for (const Session& session : in_game) CHECK(session.game == id);
    CHECK(game.profiles.get(id)->games_played == kTrickyIds.size());
  }
}

TEST_CASE("S3-22: recording an existing id changes nothing, whatever the other values are") {
  Fixture game;
  game.record(tetris("p_alice", 8420, ulid(1)));
  const Time counted = game.now;
  CHECK(game.record(tetris("p_alice", 9999, ulid(1))) == ulid(1));
  CHECK(game.record(tetris("p_bob", 1, ulid(1))) == ulid(1));
  CHECK(game.record(tetris("", std::nan(""), ulid(1))) == ulid(1));
  CHECK(shown(game.sessions.get("p_alice", ulid(1))) == "p_alice tetris 8420 in 285 s");
  CHECK(shown(game.sessions.get("p_bob", ulid(1))) == "none");
  CHECK(shown(game.profiles.get("p_alice")) == "p_alice - - 8420 in 1");
  CHECK(game.profiles.get("p_alice")->updated_at == counted);
  CHECK(shown(game.profiles.get("p_bob")) == "nobody");
}

TEST_CASE("S3-23: the profile counts sessions at once and exactly, and a repeated one once") {
  Fixture game;
  game.save({.id = "p_alice", .name = "alice42", .email = "alice@x.com"});
  for (int i = 1; i <= 100; ++i) {
    game.record(tetris("p_alice", i, ulid(i)));
    game.record(tetris("p_alice", i, ulid(i)));
    REQUIRE(game.profiles.get("p_alice")->games_played == static_cast<std::uint64_t>(i));
    REQUIRE(game.profiles.get("p_alice")->lifetime_score == i * (i + 1) / 2);
  }
  CHECK(shown(game.profiles.by_email("alice@x.com")) == "p_alice alice42 alice@x.com 5050 in 100");
}

TEST_CASE("S3-23: a session creates an unknown player") {
  Fixture game;
  NewSession session = tetris("p_new", -3);
  session.at = 1;
  game.record(session);
  CHECK(shown(game.profiles.get("p_new")) == "p_new - - -3 in 1");
  CHECK(game.profiles.get("p_new")->created_at == game.now);
}

TEST_CASE("S3-23: a session that a snapshot shows is counted in it") {
  Fixture game;
  const std::shared_ptr<const Reader> before = game.store->snapshot();
  game.record(tetris("p", 1));
  CHECK(count(*before) == 0);
  CHECK(count(*game.store->snapshot()) == 4);
}

TEST_CASE("an infinite lifetime score is refused, and nothing changes") {
  Fixture game;
  game.record(tetris("p", kMax, ulid(1)));
  const Result<std::string> second = game.sessions.record(tetris("p", kMax, ulid(2)), game.now);
  CHECK(verdict(second) == "out_of_range");
  CHECK(shown(game.sessions.get("p", ulid(2))) == "none");
  CHECK(game.profiles.get("p")->games_played == 1);
  CHECK(game.profiles.get("p")->lifetime_score == kMax);
  game.record(tetris("p", -kMax, ulid(2)));
  CHECK(game.profiles.get("p")->lifetime_score == 0);
}

TEST_CASE("a session with an invalid value is refused, and nothing changes") {
  Fixture game;
  const auto refusal = [&](auto change) {
    NewSession session = tetris("p", 1);
    change(session);
    const Result<std::string> id = game.sessions.record(session, game.now);
    return id ? "ok" : std::string(id.refusal().text());
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string too_long(kDataBytesMax + 1, 'x');
  CHECK(refusal([](NewSession& s) { s.player = ""; }) == "bad_player: the id is empty");
  CHECK(refusal([](NewSession& s) { s.game = ""; }) ==
        "bad_data: a game has 1 to 255 bytes and no zero byte; \"\" has 0");
  CHECK(refusal([](NewSession& s) { s.game = std::string_view("a\0b", 3); }) ==
        "bad_data: a game has 1 to 255 bytes and no zero byte; \"a\\x00b\" has 3");
  CHECK(refusal([&](NewSession& s) { s.game = too_long; }).ends_with("...\" has 1025"));
  CHECK(refusal([](NewSession& s) { s.score = NAN; }) == "not_finite: the score is nan");
  CHECK(refusal([](NewSession& s) { s.seconds = NAN; }) == "not_finite: the seconds are nan");
  CHECK(refusal([&](NewSession& s) { s.seconds = infinity; }) == "not_finite: the seconds are inf");
  CHECK(refusal([](NewSession& s) { s.seconds = -0.5; }) ==
        "out_of_range: the seconds are -0.5, below 0");
  CHECK(refusal([&](NewSession& s) { s.data = too_long; }) ==
        "bad_data: the data has 1025 bytes; at most 1024 are allowed");
  CHECK(refusal([&](NewSession& s) { s.at = infinity; }) == "not_finite: the time is inf");
  CHECK(refusal([](NewSession& s) { s.at = 1e10; }).starts_with("out_of_range: the time"));
  CHECK(refusal([](NewSession& s) { s.id = "match 7"; }) ==
        "bad_data: the id \"match 7\" is no ULID: 26 digits and upper-case letters without I, L, O "
        "and U, the first at most 7");
  CHECK(game.store->size() == 0);
}

TEST_CASE("a session may have values at their limits") {
  Fixture game;
  const std::string name(255, '\xFF');
  const std::string data(kDataBytesMax, '\0');
  const std::string id = game.record({.player = name,
                                      .game = name,
                                      .score = kMax,
                                      .seconds = kMax,
                                      .data = data,
                                      .at = -8589934592.0});
  const Session session = game.sessions.in_game(name, 1).at(0);
  CHECK(session.id == id);
  CHECK(session.player == name);
  CHECK(session.data == data);
  CHECK(session.at == -8589934592 * kSecond);
}

TEST_CASE("a session stores minus zero as zero") {
  Fixture game;
  const std::string id = game.record({.player = "p", .game = "g", .score = -0.0, .seconds = -0.0});
  CHECK_FALSE(std::signbit(game.sessions.get("p", id)->score));
  CHECK_FALSE(std::signbit(game.sessions.get("p", id)->seconds));
}

TEST_CASE("forget erases all sessions of the player and none of others") {
  Fixture game;
  constexpr std::size_t kMany = 2 * kSessionsPerBatch + 1;
  for (std::size_t i = 0; i < kMany; ++i) game.record(tetris("a", 1));
  const std::string other = game.record(tetris("a#b", 1));
  CHECK(game.sessions.forget("a") == kMany);
  CHECK(game.sessions.forget("a") == 0);
  CHECK(game.sessions.forget("") == 0);
  CHECK(game.sessions.of_player("a", 100).empty());
  CHECK(ids(game.sessions.in_game("tetris", SIZE_MAX)) == std::vector{other});
  CHECK(game.profiles.get("a")->games_played == kMany);
  CHECK(game.profiles.forget("a"));
  CHECK(game.store->size() == 4);  // the other player's profile, and three keys of one session
}

TEST_CASE("each visits every session once, in the order of ids") {
  Fixture game;
  for (const int i : {5, 2, 4, 1, 3}) game.record(tetris(i % 2 == 0 ? "a" : "b", i, ulid(i)));
  std::vector<std::string> visited;
  game.sessions.each([&](const Session& session) { visited.emplace_back(session.id); });
  CHECK(visited == std::vector{ulid(1), ulid(2), ulid(3), ulid(4), ulid(5)});
}

TEST_CASE("profiles and sessions restored into another store are the same") {
  Fixture game;
  game.save({.id = "a", .name = "A", .email = "a@x.com"});
  for (int i = 1; i <= 20; ++i) {
    NewSession session = tetris(i % 3 == 0 ? "a" : "b", i);
    if (i % 4 == 0) session.data = "some";
    game.record(session);
  }
  Fixture copy;
  game.profiles.each([&](const Profile& profile) { REQUIRE(copy.profiles.restore(profile)); });
  for (int i = 0; i < 2; ++i) {
    game.sessions.each([&](const Session& session) { REQUIRE(copy.sessions.restore(session)); });
  }
  const auto original = game.store->cursor();
  const auto restored = copy.store->cursor();
  REQUIRE(game.store->size() == copy.store->size());
  bool more = original->seek("") && restored->seek("");
  while (more) {
    REQUIRE(original->key() == restored->key());
    REQUIRE(original->value() == restored->value());
    more = original->next() && restored->next();
  }
}

TEST_CASE("restore refuses the sessions that record refuses") {
  Fixture game;
  const Session good{.id = "01ARYZ6S41TSV4RRFFQ69G5FAV", .player = "p", .game = "g"};
  Session bad = good;
  bad.id = "x";
  CHECK(verdict(game.sessions.restore(bad)) == "bad_data");
  bad = good;
  bad.player = "";
  CHECK(verdict(game.sessions.restore(bad)) == "bad_player");
  bad = good;
  bad.seconds = -1;
  CHECK(verdict(game.sessions.restore(bad)) == "out_of_range");
  CHECK(game.store->size() == 0);
  CHECK(verdict(game.sessions.restore(good)) == "ok");
  CHECK(shown(game.profiles.get("p")) == "nobody");  // an import restores the profile itself
}

}  // namespace laurel
