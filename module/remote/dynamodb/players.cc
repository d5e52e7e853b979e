// Profiles, stored under the player's id, and found by email.
#include "remote/dynamodb/players.h"

#include <algorithm>
#include <map>

#include "base/checks.h"
#include "base/text.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

constexpr int kEmailTriesMax = 4;  // if an email keeps moving between reads

Json profile_key(std::string_view id) { return item_key(player_key(id), kProfile); }

Refusal player_keeps_changing(std::string_view id) {
  return {Code::unavailable, "other servers keep changing player \"{}\"", escaped(id, 64)};
}

Json owner_item(const std::string& key, std::string_view id) {
  Json item = item_key(key, kOwner);
  item["playerId"] = text_value(key_text(id, false));
  return item;
}

// Other tools may have written more attributes, or others, than a player can have. They are not
// shown, and go with the next change of the attributes.
std::string attributes_from(const Json* map) {
  std::string attributes;
  if (map == nullptr) return attributes;
  for (const auto& [key, value] : map->items()) {
    AttributeChanges change;
    const std::optional<std::string> text = any_text_at(*map, key.c_str());
    if (!text || !change.add(bytes_of_key(key), *text)) continue;
    Result<std::string> more = changed_attributes(attributes, change.text());
    if (more) attributes = std::move(*more);
  }
  return attributes;
}

Json attributes_value(std::string_view attributes) {
  Json map = Json::object();
  each_attribute(attributes, [&map](std::string_view name, std::string_view value) {
    map[key_text(name, false)] = any_text_value(value);
  });
  return {{"M", std::move(map)}};
}

}  // namespace

Players::Known Players::known_from(std::string_view id, const Json* item) {
  Known known;
  known.profile.id = id;
  if (item == nullptr) return known;
  OwnedProfile& profile = known.profile;
  known.exists = true;
  known.version = integer_at(*item, "version");
  profile.name = any_text_at(*item, "name");
  profile.email = any_text_at(*item, "email");
  profile.lifetime_score = number_at(*item, "lifetimeScore").value_or(0);
  const std::int64_t games = integer_at(*item, "gamesPlayed").value_or(0);
  profile.games_played = static_cast<std::uint64_t>(std::max<std::int64_t>(games, 0));
  profile.created_at = integer_at(*item, "createdAt").value_or(0);
  profile.updated_at = integer_at(*item, "updatedAt").value_or(0);
  profile.attributes = attributes_from(map_at(*item, "attributes"));
  return known;
}

Task<Result<Players::Known>> Players::read(std::string id, Time deadline) {
  std::vector<Json> wanted = {profile_key(id)};
  const Reply reply = co_await client_.get_all(std::move(wanted), deadline);
  if (reply.refusal) co_return *reply.refusal;
  const Json& items = items_of(reply.body);
  Known known = known_from(id, items.empty() ? nullptr : &items.front());
  co_return std::move(known);
}

// Uses an update, so that attributes of other tools are kept.
void Players::put(const Known& known, const OwnedProfile& profile, Transaction& parts) {
  Condition condition{.absent = !known.exists, .equal = {}};
  if (known.exists) {
    condition.equal = {{"version", known.version ? number_value(*known.version) : Json()}};
  }
  std::vector<std::pair<std::string, Json>> set = {
      {"lifetimeScore", double_value(profile.lifetime_score)},
      {"gamesPlayed", number_value(static_cast<std::int64_t>(profile.games_played))},
      {"updatedAt", number_value(profile.updated_at)}};
  if (!known.exists) {
    set.emplace_back("playerId", text_value(key_text(profile.id, false)));
    set.emplace_back("createdAt", number_value(profile.created_at));
  }
  if (profile.name) set.emplace_back("name", any_text_value(*profile.name));
  if (profile.email) {
    set.emplace_back("email", any_text_value(*profile.email));
    set.emplace_back("GSI1PK", text_value(email_key(*profile.email)));
    set.emplace_back("GSI1SK", text_value(player_key(profile.id)));
  }
  if (profile.attributes != known.profile.attributes) {
    set.emplace_back("attributes", attributes_value(profile.attributes));
  }
  parts.update(profile_key(profile.id), condition, set, {{"version", 1}});
}

Task<Result<Value>> Players::answer(const SentRequest& sent, const request::SavePlayer& request) {
  if (const Status valid = check_profile(request.view()); !valid) co_return valid.refusal();
  constexpr std::size_t kEmailPart = 1;
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Known> known = co_await read(request.id, sent.deadline);
    if (!known) co_return known.refusal();
    const OwnedProfile& before = known->profile;
    OwnedProfile profile = before;
    if (request.name) profile.name = request.name;
    if (request.email) profile.email = request.email;
    Result<std::string> attributes = changed_attributes(before.attributes, request.attributes);
    if (!attributes) co_return attributes.refusal();
    profile.attributes = std::move(*attributes);
    if (known->exists && profile.name == before.name && profile.email == before.email &&
        profile.attributes == before.attributes) {
      co_return Value(true);
    }
    if (!known->exists) profile.created_at = profile.updated_at = sent.now;
    profile.updated_at = std::max(sent.now, profile.updated_at);
    Transaction parts;
    put(*known, profile, parts);
    const bool moves = profile.email != before.email;
    if (moves) {
      parts.put(owner_item(email_key(*profile.email), request.id), {.absent = true, .equal = {}});
      if (before.email) parts.erase(item_key(email_key(*before.email), kOwner), {});
    }
    const Reply reply = co_await client_.transact(parts, sent.deadline);
    if (reply.ok()) co_return Value(true);
    if (reply.refusal) co_return *reply.refusal;
    if (moves && reply.failed(kEmailPart) && !reply.failed(0)) {
      co_return email_taken(*profile.email);
    }
    co_await client_.back_off(tries);
  }
  co_return player_keeps_changing(request.id);
}

Task<Result<Value>> Players::answer(const SentRequest& sent, const request::ReadPlayer& request) {
  if (!check_player(request.id)) co_return Value(std::optional<OwnedProfile>());
  const Result<Known> known = co_await read(request.id, sent.deadline);
  if (!known) co_return known.refusal();
  co_return Value(known->exists ? std::optional(known->profile) : std::nullopt);
}

Task<Result<Value>> Players::answer(const SentRequest& sent,
                                    const request::ReadPlayerByEmail& request) {
  const std::string& email = request.email;
  if (!check_email(email)) co_return Value(std::optional<OwnedProfile>());
  for (int tries = 0; tries < kEmailTriesMax; ++tries) {
    std::vector<Json> wanted = {item_key(email_key(email), kOwner)};
    const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
    if (reply.refusal) co_return *reply.refusal;
    const Json& items = items_of(reply.body);
    if (items.empty()) break;
    std::string id = bytes_of_key(text_at(items.front(), "playerId").value_or(""));
    const Result<Known> known = co_await read(std::move(id), sent.deadline);
    if (!known) co_return known.refusal();
    if (known->exists && known->profile.email == email) {
      co_return Value(std::optional<OwnedProfile>(known->profile));
    }
    co_await client_.back_off(tries);  // it moved between the two reads
  }
  co_return Value(std::optional<OwnedProfile>());
}

// Other tools may have written names that are longer than a player can have. They are not shown.
Task<Result<Value>> Players::answer(const SentRequest& sent, const request::ReadNames& request) {
  std::vector<Json> wanted;
  for (const std::string& id : request.ids) {
    if (check_player(id)) wanted.push_back(profile_key(id));
  }
  std::map<std::string, std::string> names;  // by partition key
  if (!wanted.empty()) {
    const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
    if (reply.refusal) co_return *reply.refusal;
    for (const Json& item : items_of(reply.body)) {
      std::optional<std::string> name = any_text_at(item, "name");
      if (!name || name->size() > kPlayerNameBytesMax) continue;
      names.emplace(text_at(item, "PK").value_or(""), std::move(*name));
    }
  }
  std::vector<std::string> found;
  for (const std::string& id : request.ids) {
    const auto name = check_player(id) ? names.find(player_key(id)) : names.end();
    found.push_back(name == names.end() ? std::string() : name->second);
  }
  co_return Value(std::move(found));
}

// Sessions first: while the profile exists, asking again finds the rest. A new session changes the
// profile, and then everything is repeated.
Task<Result<Value>> Players::answer(const SentRequest& sent, const request::ForgetPlayer& request) {
  const std::string& id = request.player;
  if (const Status valid = check_player(id); !valid) co_return valid.refusal();
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    const Result<Known> known = co_await read(id, sent.deadline);
    if (!known) co_return known.refusal();
    const Status forgotten = co_await forget_sessions(id, sent.deadline);
    if (!forgotten) co_return forgotten.refusal();
    if (!known->exists) co_return Value(false);
    Transaction parts;
    parts.erase(profile_key(id),
                {.absent = false,
                 .equal = {{"version", known->version ? number_value(*known->version) : Json()}}});
    const std::optional<std::string>& email = known->profile.email;
    if (email) parts.erase(item_key(email_key(*email), kOwner), {});
    const Reply reply = co_await client_.transact(parts, sent.deadline);
    if (reply.ok()) co_return Value(true);
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return player_keeps_changing(id);
}

}  // namespace laurel::dynamodb
