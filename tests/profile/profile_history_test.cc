// Plays random histories on profiles and sessions and on two plain maps. Both must always be equal.
#include <map>

#include "fixture.h"

namespace laurel {

namespace {

struct NaiveProfile {
  std::optional<std::string> name;
  std::optional<std::string> email;
  std::map<std::string, std::string> attributes = {};
  double lifetime_score = 0;
  std::uint64_t games_played = 0;
  Time created_at = 0;
  Time updated_at = 0;
};

struct NaiveSession {
  std::string player;
  std::string game;
  double score = 0;
  Time at = 0;
};

class History {
 public:
  explicit History(std::uint64_t seed) : random_(seed) {}

  void step() {
    game_.now += static_cast<Time>(random_() % 4000);
    switch (random_() % 12) {
      case 0: forget(); break;
      case 1:
      case 2:
      case 3:
      case 4: save(); break;
      default: record(); break;
    }
  }

  void compare() const {
    compare_profiles();
    compare_sessions();
    std::size_t emails = 0;
    for (const auto& [id, profile] : players_) emails += profile.email ? 1 : 0;
    REQUIRE(game_.store->size() == players_.size() + emails + 3 * sessions_.size());
  }

 private:
  const std::string& tricky() { return kTrickyIds[random_() % kTrickyIds.size()]; }

  void save() {
    const std::string& id = tricky();
    ProfileFields fields{.id = id};
    if (random_() % 2 == 0) fields.name = tricky();
    if (random_() % 2 == 0) fields.email = tricky();
    AttributeChanges changes;
    std::map<std::string, std::optional<std::string>> given;
    for (auto left = random_() % 3; left > 0; --left) {
      const std::string name = fmt::format("a{}", random_() % 5);
      const bool is_off = random_() % 3 == 0;
      given[name] = is_off ? std::nullopt : std::optional(tricky());
      REQUIRE(changes.add(name, given[name]));
    }
    fields.attributes = changes.text();
    const Status saved = game_.profiles.save(fields, game_.now);
    for (const auto& [other, profile] : players_) {
      if (other == id || !fields.email || profile.email != *fields.email) continue;
      REQUIRE(verdict(saved) == "taken");
      return;
    }
    REQUIRE(verdict(saved) == "ok");
    NaiveProfile& profile = known(id);
    const NaiveProfile old = profile;
    if (fields.name) profile.name = *fields.name;
    if (fields.email) profile.email = *fields.email;
    for (const auto& [name, value] : given) {
      profile.attributes.erase(name);
      if (value) profile.attributes[name] = *value;
    }
    if (profile.name != old.name || profile.email != old.email ||
        profile.attributes != old.attributes) {
      profile.updated_at = game_.now;
    }
  }

  void record() {
    const std::string& player = tricky();
    const std::string& played = tricky();
    NewSession session{.player = player, .game = played, .seconds = 1};
    session.score = static_cast<double>(random_() % 100) - 20;
    const std::string given = ulid(static_cast<int>(random_() % 40));
    if (random_() % 2 == 0) session.id = given;
    if (random_() % 3 == 0) session.at = static_cast<double>(random_() % 50) - 10;
    const Result<std::string> id = game_.sessions.record(session, game_.now);
    REQUIRE(verdict(id) == "ok");
    if (session.id) REQUIRE(*id == given);
    const Time at = session.at ? static_cast<Time>(*session.at) * kSecond : game_.now;
    const bool is_new = sessions_.insert({*id, {player, played, session.score, at}}).second;
    REQUIRE((is_new || session.id));
    if (!is_new) return;
    NaiveProfile& profile = known(player);
    profile.lifetime_score += session.score;
    ++profile.games_played;
    profile.updated_at = game_.now;
  }

  void forget() {
    const std::string& id = tricky();
    const std::size_t gone =
        std::erase_if(sessions_, [&](const auto& entry) { return entry.second.player == id; });
    REQUIRE(game_.sessions.forget(id) == gone);
    REQUIRE(game_.profiles.forget(id) == (players_.erase(id) > 0));
  }

  NaiveProfile& known(const std::string& id) {
    return players_.insert({id, {.created_at = game_.now, .updated_at = game_.now}}).first->second;
  }

  void compare_profiles() const {
    auto expected = players_.begin();
    game_.profiles.each([&](const Profile& profile) {
      REQUIRE(expected != players_.end());
      REQUIRE(profile.id == expected->first);
      REQUIRE(profile.name == expected->second.name);
      REQUIRE(profile.email == expected->second.email);
      std::map<std::string, std::string> attributes;
      each_attribute(profile.attributes, [&](std::string_view name, std::string_view value) {
        attributes.emplace(name, value);
      });
      REQUIRE(attributes == expected->second.attributes);
      REQUIRE(profile.lifetime_score == expected->second.lifetime_score);
      REQUIRE(profile.games_played == expected->second.games_played);
      REQUIRE(profile.created_at == expected->second.created_at);
      REQUIRE(profile.updated_at == expected->second.updated_at);
      ++expected;
    });
    REQUIRE(expected == players_.end());
    for (const std::string& email : kTrickyIds) {
      std::string owner = "nobody";
      for (const auto& [id, profile] : players_) {
        if (profile.email == email) owner = id;
      }
      const std::optional<Profile> found = game_.profiles.by_email(email);
      REQUIRE((found ? found->id : "nobody") == owner);
    }
  }

  void compare_sessions() const {
    auto expected = sessions_.begin();
    game_.sessions.each([&](const Session& session) {
      REQUIRE(expected != sessions_.end());
      REQUIRE(session.id == expected->first);
      REQUIRE(session.player == expected->second.player);
      REQUIRE(session.game == expected->second.game);
      REQUIRE(session.score == expected->second.score);
      REQUIRE(session.at == expected->second.at);
      ++expected;
    });
    REQUIRE(expected == sessions_.end());
    constexpr std::size_t kLimit = 5;
    const std::string before = ulid(20);
    for (const std::string& id : kTrickyIds) {
      std::vector<std::string> of_player;
      std::vector<std::string> in_game;
      for (auto entry = sessions_.rbegin(); entry != sessions_.rend(); ++entry) {
        if (entry->second.player == id && of_player.size() < kLimit)
          of_player.push_back(entry->first);
        if (entry->second.game == id && entry->first < before) in_game.push_back(entry->first);
      }
      REQUIRE(ids(game_.sessions.of_player(id, kLimit)) == of_player);
      REQUIRE(ids(game_.sessions.in_game(id, SIZE_MAX, before)) == in_game);
    }
  }

  std::mt19937_64 random_;
  Fixture game_;
  std::map<std::string, NaiveProfile> players_;
  std::map<std::string, NaiveSession> sessions_;
};

}  // namespace

TEST_CASE("profiles and sessions agree with plain maps over random histories") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    History history(seed);
    for (int i = 0; i < 400; ++i) {
      history.step();
      if (i % 8 == 0) history.compare();
    }
    history.compare();
  }
}

}  // namespace laurel
