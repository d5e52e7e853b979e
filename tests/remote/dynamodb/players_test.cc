// Players and sessions in a table: as other tools find them, and over a line that loses answers.
// Runs against DynamoDB Local; skipped with a message if that cannot be fetched.
#include <random>

#include "local_engine.h"
#include "profile/ulid.h"
#include "rough_line.h"
#include "sender.h"

namespace laurel::dynamodb {

namespace {

constexpr Time kNow = 1'000'000 * kSecond;

request::SavePlayer save(std::string id, std::optional<std::string> name,
                         std::optional<std::string> email = {}) {
  return {.id = std::move(id), .name = std::move(name), .email = std::move(email)};
}

request::RecordSession played(std::string player, double score,
                              std::optional<std::string> id = {}) {
  return {.player = std::move(player),
          .game = "tetris",
          .score = score,
          .seconds = 285,
          .data = {},
          .at = {},
          .id = std::move(id)};
}

std::optional<OwnedProfile> player(Sender& sender, const std::string& id) {
  return sender.get<std::optional<OwnedProfile>>({}, request::ReadPlayer{id}, kNow);
}

}  // namespace

TEST_CASE("another tool finds players and sessions under the documented keys") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::string url = fresh_url(*endpoint);
  Sender sender(url);
  CHECK(sender.get<bool>({}, save("p_alice", "alice42", "alice@x.com"), kNow));
  const auto id = sender.get<std::string>({}, played("p_alice", 8420), kNow);
  OtherTool tool(*endpoint, url);

  const Json profile = tool.item("PLAYER#p_alice", "PROFILE");
  CHECK(text_at(profile, "name") == "alice42");
  CHECK(text_at(profile, "email") == "alice@x.com");
  CHECK(number_at(profile, "lifetimeScore") == 8420);
  CHECK(integer_at(profile, "gamesPlayed") == 1);
  CHECK(integer_at(profile, "createdAt") == kNow);
  const Json by_email = tool.of_index("PLAYER_EMAIL#alice@x.com");
  REQUIRE(by_email.size() == 1);
  CHECK(text_at(by_email[0], "playerId") == "p_alice");

  const Json session = tool.item("PLAYER#p_alice", "SESSION#" + id);
  CHECK(text_at(session, "game") == "tetris");
  CHECK(number_at(session, "score") == 8420);
  const Json in_game = tool.of_index("GAME#tetris");
  REQUIRE(in_game.size() == 1);
  CHECK(text_at(in_game[0], "SK") == "SESSION#" + id);

  CHECK(sender.get<bool>({}, save("p_alice", {}, "new@x.com"), kNow));
  CHECK(tool.of_index("PLAYER_EMAIL#alice@x.com").empty());
  CHECK(tool.item("PLAYER_EMAIL#alice@x.com", "OWNER").is_null());
  CHECK(text_at(tool.item("PLAYER_EMAIL#new@x.com", "OWNER"), "playerId") == "p_alice");
}

TEST_CASE("saving keeps attributes of other tools, and adopts a profile that another tool made") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::string url = fresh_url(*endpoint);
  Sender sender(url);
  CHECK_FALSE(player(sender, "a"));  // this creates the table
  OtherTool tool(*endpoint, url);
  Json put;
  put["Item"] = {{"PK", text_value("PLAYER#a")},
                 {"SK", text_value("PROFILE")},
                 {"lifetimeScore", decimal_value("10")},
                 {"colour", text_value("red")}};
  (void)tool.run("PutItem", std::move(put));
  (void)sender.get<std::string>({}, played("a", 2.5), kNow);
  CHECK(sender.get<bool>({}, save("a", "anna"), kNow));
  CHECK(player(sender, "a")->lifetime_score == 12.5);
  CHECK(player(sender, "a")->games_played == 1);
  CHECK(text_at(tool.item("PLAYER#a", "PROFILE"), "colour") == "red");
}

TEST_CASE("a name of another tool is read, unless it is longer than a name can be") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::string url = fresh_url(*endpoint);
  Sender sender(url);
  CHECK_FALSE(player(sender, "a"));  // this creates the table
  OtherTool tool(*endpoint, url);
  for (const std::size_t size : {255, 256}) {
    Json put;
    put["Item"] = {{"PK", text_value(fmt::format("PLAYER#{}", size))},
                   {"SK", text_value("PROFILE")},
                   {"name", text_value(std::string(size, 'x'))}};
    (void)tool.run("PutItem", std::move(put));
  }
  CHECK(sender.get<std::vector<std::string>>({}, request::ReadNames{{"256", "255", "a"}}, kNow) ==
        std::vector<std::string>{"", std::string(255, 'x'), ""});
}

TEST_CASE("forgetting a player clears the table, for any number of sessions") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  constexpr int kRecorded = 300;  // more than one query returns
  const std::string url = fresh_url(*endpoint);
  Sender sender(url);
  CHECK(sender.get<bool>({}, save("a", "anna", "a@x"), kNow));
  std::vector<RequestId> asked;
  for (int i = 0; i < kRecorded; ++i) {
    asked.push_back(sender.begin({}, played("a", 1), kNow, 60 * kSecond));
  }
  for (const RequestId id : asked) CHECK(sender.wait(id));
  CHECK(player(sender, "a")->games_played == kRecorded);
  CHECK(sender.get<bool>({}, request::ForgetPlayer{"a"}, kNow));
  OtherTool tool(*endpoint, url);
  Json scan;
  scan["TableName"] = tool.table();
  CHECK(tool.run("Scan", std::move(scan))["Items"].empty());
}

TEST_CASE("scores that the table cannot hold are out of range, and change nothing") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  Sender sender(fresh_url(*endpoint));
  for (const double score : {1e126, -1e300, 1e-131}) {
    const Result<Value> answer = sender.ask({}, played("a", score), kNow);
    REQUIRE_FALSE(answer);
    CHECK(answer.refusal().code() == Code::out_of_range);
  }
  CHECK_FALSE(player(sender, "a"));
  for (const double score : {9e125, -9e125, 1e-130, 0.1, -0.0, 12345678901234567.0}) {
    const auto id = sender.get<std::string>({}, played("a", score), kNow);
    const auto read =
        sender.get<std::optional<OwnedSession>>({}, request::ReadSession{"a", id}, kNow);
    CHECK(read->score == score);
  }
}

TEST_CASE("sessions over a lossy line, sent until they are acknowledged, count once each") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  const std::string url = fresh_url(*endpoint);
  Sender plain(url);
  CHECK_FALSE(player(plain, "p0"));
  RoughLine line(*endpoint, seed);
  Sender one(url_through(url, line.server()));
  Sender other(url_through(url, line.server()));
  constexpr int kRecorded = 60;
  constexpr int kPlayers = 3;
  Ulids ids;
  std::vector<request::RecordSession> sessions;
  for (int i = 0; i < kRecorded; ++i) {
    sessions.push_back(played(fmt::format("p{}", i % kPlayers), i, ids.next(kNow + i * kSecond)));
  }
  std::vector<bool> done(kRecorded, false);
  const Time until = steady_now() + 120 * kSecond;
  while (std::find(done.begin(), done.end(), false) != done.end()) {
    REQUIRE(steady_now() < until);
    std::vector<std::pair<Sender*, RequestId>> asked(kRecorded);
    for (std::size_t i = 0; i < kRecorded; ++i) {
      Sender& sender = i % 2 == 0 ? one : other;
      if (!done[i]) asked[i] = {&sender, sender.begin({}, sessions[i], kNow, 3 * kSecond)};
    }
    for (std::size_t i = 0; i < kRecorded; ++i) {
      if (done[i]) continue;
      const Result<Value> answer = asked[i].first->wait(asked[i].second);
      if (!answer) CHECK(answer.refusal().code() == Code::unavailable);
      done[i] = static_cast<bool>(answer);
    }
  }
  CHECK(line.lost + line.throttled > 0);
  for (int p = 0; p < kPlayers; ++p) {
    double sum = 0;
    for (int i = p; i < kRecorded; i += kPlayers) sum += i;
    const auto found = player(plain, fmt::format("p{}", p));
    REQUIRE(found);
    CHECK(found->games_played == kRecorded / kPlayers);
    CHECK(found->lifetime_score == sum);
  }
}

TEST_CASE("emails that move over a lossy line have one owner each, and none is left behind") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  const std::string url = fresh_url(*endpoint);
  Sender plain(url);
  CHECK_FALSE(player(plain, "p0"));
  RoughLine line(*endpoint, seed);
  Sender one(url_through(url, line.server()));
  Sender other(url_through(url, line.server()));
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
  constexpr int kPlayers = 4;
  for (int round = 0; round < 8; ++round) {
    std::vector<std::pair<Sender*, RequestId>> asked;
    for (int i = 0; i < kPlayers; ++i) {
      Sender& sender = i % 2 == 0 ? one : other;
      const request::SavePlayer what =
          save(fmt::format("p{}", i), "n", fmt::format("e{}@x", random() % 5));
      asked.emplace_back(&sender, sender.begin({}, what, kNow, 5 * kSecond));
    }
    for (const auto& [sender, id] : asked) {
      const Result<Value> answer = sender->wait(id);
      const bool expected = answer || answer.refusal().code() == Code::taken ||
                            answer.refusal().code() == Code::unavailable;
      CHECK(expected);
    }
  }
  std::map<std::string, std::string> owners;
  for (int i = 0; i < kPlayers; ++i) {
    const std::string id = fmt::format("p{}", i);
    const auto found = player(plain, id);
    if (!found || !found->email) continue;
    CHECK(owners.emplace(*found->email, id).second);
  }
  for (int e = 0; e < 5; ++e) {
    const std::string email = fmt::format("e{}@x", e);
    const auto found =
        plain.get<std::optional<OwnedProfile>>({}, request::ReadPlayerByEmail{email}, kNow);
    CHECK(found.has_value() == owners.contains(email));
    if (found) CHECK(found->id == owners[email]);
    const Json owner = OtherTool(*endpoint, url).item("PLAYER_EMAIL#" + email, "OWNER");
    CHECK(owner.is_null() != owners.contains(email));
  }
}

}  // namespace laurel::dynamodb
