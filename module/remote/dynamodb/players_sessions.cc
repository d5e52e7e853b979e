// Sessions: recorded once, added to the player's profile, listed by player and by game.
#include <algorithm>
#include <cmath>

#include "base/checks.h"
#include "base/text.h"
#include "remote/dynamodb/players.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

constexpr std::size_t kForgetRows = 250;      // rows per query; their deletes are 20 calls
constexpr std::string_view kBehindIds = "~";  // sorts after all digits and letters

Json session_item(const OwnedSession& session) {
  Json item = item_key(player_key(session.player), session_key(session.id));
  item["playerId"] = text_value(key_text(session.player, false));
  item["sessionId"] = text_value(session.id);
  item["game"] = any_text_value(session.game);
  item["score"] = double_value(session.score);
  item["seconds"] = double_value(session.seconds);
  item["at"] = number_value(session.at);
  if (session.data) item["data"] = bytes_value(*session.data);
  item["GSI1PK"] = text_value(game_key(session.game));
  item["GSI1SK"] = text_value(session_key(session.id));
  return item;
}

std::optional<OwnedSession> session_from(const Json& item) {
  const auto player = text_at(item, "playerId");
  const auto id = text_at(item, "sessionId");
  const auto game = any_text_at(item, "game");
  if (!player || !id || !game) return std::nullopt;
  return OwnedSession{.id = *id,
                      .player = bytes_of_key(*player),
                      .game = *game,
                      .score = number_at(item, "score").value_or(0),
                      .seconds = number_at(item, "seconds").value_or(0),
                      .at = integer_at(item, "at").value_or(0),
                      .data = bytes_at(item, "data")};
}

Json owner_key(std::string_view id) { return item_key(session_key(id), kOwner); }
Status check_number(const char* what, double number) {
  if (is_number(number)) return Done{};
  return Refusal(Code::out_of_range,
                 "the {} is {}; DynamoDB takes 0, and magnitudes from 1e-130 to 1e126", what,
                 number);
}

Status check(const request::RecordSession& request) {
  if (const Status valid = check_session(request.view()); !valid) return valid;
  if (const Status valid = check_number("score", request.score); !valid) return valid;
  return check_number("duration", request.seconds);
}

// Upper bound for the keys of sessions before this id. Ids are ASCII, so any other byte sorts after
// them.
std::string end_of(const std::optional<std::string>& before) {
  if (!before) return std::string(kBehindIds);
  const auto odd = std::find_if(before->begin(), before->end(),
                                [](char c) { return static_cast<unsigned char>(c) > '~'; });
  std::string end(before->begin(), odd);
  if (end.size() > kUlidBytes) end.resize(kUlidBytes + 1);
  if (odd != before->end() && end.size() <= kUlidBytes) end += kBehindIds;
  return end;
}

}  // namespace

Task<Result<bool>> Players::is_recorded(std::string id, Time deadline) {
  std::vector<Json> wanted = {owner_key(id)};
  const Reply reply = co_await client_.get_all(std::move(wanted), deadline);
  if (reply.refusal) co_return *reply.refusal;
  co_return !items_of(reply.body).empty();
}

Task<Result<Value>> Players::answer(const SentRequest& sent,
                                    const request::RecordSession& request) {
  if (request.id) {
    if (const Status valid = check_session_id(*request.id); !valid) co_return valid.refusal();
    // Only a first check: requests of other players are not serialized with this one. The
    // transaction decides.
    const Result<bool> recorded = co_await is_recorded(*request.id, sent.deadline);
    if (!recorded) co_return recorded.refusal();
    if (*recorded) co_return Value(*request.id);
  }
  if (const Status valid = check(request); !valid) co_return valid.refusal();
  OwnedSession session{.id = request.id.value_or(""),
                       .player = request.player,
                       .game = request.game,
                       .score = request.score + 0.0,  // turns -0 into 0
                       .seconds = request.seconds + 0.0,
                       .at = request.at ? *time_from_seconds(*request.at) : sent.now,
                       .data = request.data};
  for (int tries = 0; tries < kDynamoJudgementsMax; ++tries) {
    if (!request.id) session.id = request.at ? ids_.of(session.at) : ids_.next(sent.now);
    const Result<Known> known = co_await read(request.player, sent.deadline);
    if (!known) co_return known.refusal();
    OwnedProfile profile = known->profile;
    if (!known->exists) profile.created_at = profile.updated_at = sent.now;
    profile.updated_at = std::max(sent.now, profile.updated_at);
    profile.lifetime_score += session.score;
    ++profile.games_played;
    if (!std::isfinite(profile.lifetime_score)) {
      co_return Refusal(Code::out_of_range, "with {} the lifetime score is larger than any number",
                        session.score);
    }
    const Status fits = check_number("lifetime score", profile.lifetime_score);
    if (!fits) co_return fits.refusal();
    const Condition absent{.absent = true, .equal = {}};
    Json owner = owner_key(session.id);
    owner["playerId"] = text_value(key_text(session.player, false));
    Transaction parts;
    parts.put(std::move(owner), absent);
    parts.put(session_item(session), absent);
    put(*known, profile, parts);
    const Reply reply = co_await client_.transact(parts, sent.deadline);
    if (reply.ok() || (request.id && reply.failed(0))) co_return Value(session.id);
    if (reply.refusal) co_return *reply.refusal;
    co_await client_.back_off(tries);
  }
  co_return Refusal(Code::unavailable, "other servers keep changing player \"{}\"",
                    escaped(request.player, 64));
}

Task<Result<std::vector<OwnedSession>>> Players::list(Sessions wanted, Time deadline) {
  std::vector<OwnedSession> sessions;
  Json next;
  while (sessions.size() < wanted.limit) {
    Json query;
    query["KeyConditionExpression"] = wanted.by_game
                                          ? "GSI1PK = :key AND GSI1SK BETWEEN :from AND :to"
                                          : "PK = :key AND SK BETWEEN :from AND :to";
    query["ExpressionAttributeValues"] = {{":key", text_value(wanted.key)},
                                          {":from", text_value(kSessions)},
                                          {":to", text_value(wanted.end)}};
    query["ScanIndexForward"] = false;
    // One more, because the range includes its end, which is skipped.
    query["Limit"] = std::min(wanted.limit - sessions.size(), kDynamoRowsMax - 1) + 1;
    if (wanted.by_game) {
      query["IndexName"] = "GSI1";
    } else {
      query["ConsistentRead"] = true;
    }
    const Reply reply = co_await client_.query(std::move(query), next, deadline);
    if (reply.refusal) co_return *reply.refusal;
    for (const Json& item : items_of(reply.body)) {
      std::optional<OwnedSession> session = session_from(item);
      if (!session || session_key(session->id) >= wanted.end) continue;
      if (sessions.size() < wanted.limit) sessions.push_back(std::move(*session));
    }
    if (next.is_null()) break;
  }
  co_return std::move(sessions);
}

Task<Result<Value>> Players::answer(const SentRequest& sent, const request::SessionsOf& request) {
  if (!check_player(request.player)) co_return Value(std::vector<OwnedSession>());
  Sessions wanted{.by_game = false,
                  .key = player_key(request.player),
                  .limit = request.limit,
                  .end = session_key(end_of(request.before))};
  Result<std::vector<OwnedSession>> sessions = co_await list(std::move(wanted), sent.deadline);
  if (!sessions) co_return sessions.refusal();
  co_return Value(std::move(*sessions));
}

Task<Result<Value>> Players::answer(const SentRequest& sent, const request::SessionsIn& request) {
  if (!is_game(request.game)) co_return Value(std::vector<OwnedSession>());
  Sessions wanted{.by_game = true,
                  .key = game_key(request.game),
                  .limit = request.limit,
                  .end = session_key(end_of(request.before))};
  Result<std::vector<OwnedSession>> sessions = co_await list(std::move(wanted), sent.deadline);
  if (!sessions) co_return sessions.refusal();
  co_return Value(std::move(*sessions));
}

Task<Result<Value>> Players::answer(const SentRequest& sent, const request::ReadSession& request) {
  if (!check_player(request.player) || !is_ulid(request.id)) {
    co_return Value(std::optional<OwnedSession>());
  }
  std::vector<Json> wanted = {item_key(player_key(request.player), session_key(request.id))};
  const Reply reply = co_await client_.get_all(std::move(wanted), sent.deadline);
  if (reply.refusal) co_return *reply.refusal;
  const Json& items = items_of(reply.body);
  std::optional<OwnedSession> session = items.empty() ? std::nullopt : session_from(items.front());
  co_return Value(std::move(session));
}

// Deletes the owner items first: while the sessions exist, a repeated call finds the rest.
Task<Status> Players::forget_sessions(std::string player, Time deadline) {
  while (true) {
    Sessions wanted{.by_game = false,
                    .key = player_key(player),
                    .limit = kForgetRows,
                    .end = session_key(kBehindIds)};
    const Result<std::vector<OwnedSession>> sessions = co_await list(std::move(wanted), deadline);
    if (!sessions) co_return sessions.refusal();
    if (sessions->empty()) co_return Done{};
    std::vector<Json> owners;
    std::vector<Json> items;
    for (const OwnedSession& session : *sessions) {
      owners.push_back(delete_request(owner_key(session.id)));
      items.push_back(delete_request(item_key(player_key(player), session_key(session.id))));
    }
    const Reply first = co_await client_.write_all(std::move(owners), deadline);
    if (first.refusal) co_return *first.refusal;
    const Reply second = co_await client_.write_all(std::move(items), deadline);
    if (second.refusal) co_return *second.refusal;
  }
}

}  // namespace laurel::dynamodb
