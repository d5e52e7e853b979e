#include "remote/request/player_request.h"

namespace laurel {

namespace {

std::optional<std::string> owned(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace

OwnedProfile OwnedProfile::of(const Profile& profile) {
  return {.id = std::string(profile.id),
          .name = owned(profile.name),
          .email = owned(profile.email),
          .lifetime_score = profile.lifetime_score,
          .games_played = profile.games_played,
          .created_at = profile.created_at,
          .updated_at = profile.updated_at};
}

Profile OwnedProfile::view() const {
  return {.id = id,
          .name = name,
          .email = email,
          .lifetime_score = lifetime_score,
          .games_played = games_played,
          .created_at = created_at,
          .updated_at = updated_at};
}

OwnedSession OwnedSession::of(const Session& session) {
  return {.id = std::string(session.id),
          .player = std::string(session.player),
          .game = std::string(session.game),
          .score = session.score,
          .seconds = session.seconds,
          .at = session.at,
          .data = owned(session.data)};
}

Session OwnedSession::view() const {
  return {.id = id,
          .player = player,
          .game = game,
          .score = score,
          .seconds = seconds,
          .at = at,
          .data = data};
}

namespace request {

ProfileFields SavePlayer::view() const { return {.id = id, .name = name, .email = email}; }

NewSession RecordSession::view() const {
  return {.player = player,
          .game = game,
          .score = score,
          .seconds = seconds,
          .data = data,
          .at = at,
          .id = id};
}

}  // namespace request

}  // namespace laurel
