// player_request.h - requests about remote players and sessions: the calls of profile/ as values
// that own all their data.
//
//   target  none: they belong to no board. Each remote has one set of players.
//   now     of the request is the time of creation and change, and of a session without `at`.
//   order   changes of one player are applied in the order of asking, within one server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profile/profiles.h"
#include "profile/sessions.h"

namespace laurel {

namespace request {

// Answer: bool, true. Fails as Profiles::save.
struct SavePlayer {
  static constexpr bool kWrites = true;
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> email;
  std::string attributes = {};  // a text() of AttributeChanges

  ProfileFields view() const;
};
// Answer: std::optional<OwnedProfile>.
struct ReadPlayer {
  static constexpr bool kWrites = false;
  std::string id;
};
// Answer: std::optional<OwnedProfile>.
struct ReadPlayerByEmail {
  static constexpr bool kWrites = false;
  std::string email;
};
// The names of up to kRemoteNamesAtOnce distinct players. Answer: std::vector<std::string>, one for
// each; empty: none.
struct ReadNames {
  static constexpr bool kWrites = false;
  std::vector<std::string> ids;
};
// Answer: std::string, the session's id. Fails as Sessions::record.
struct RecordSession {
  static constexpr bool kWrites = true;
  std::string player;
  std::string game;
  double score = 0;
  double seconds = 0;
  std::optional<std::string> data;
  std::optional<double> at;
  std::optional<std::string> id;

  NewSession view() const;
};
// The newest whose id sorts before `before`. Answer: std::vector<OwnedSession>.
struct SessionsOf {
  static constexpr bool kWrites = false;
  std::string player;
  std::size_t limit = 0;
  std::optional<std::string> before;
};
struct SessionsIn {
  static constexpr bool kWrites = false;
  std::string game;
  std::size_t limit = 0;
  std::optional<std::string> before;
};
// Answer: std::optional<OwnedSession>, nothing if it belongs to another player.
struct ReadSession {
  static constexpr bool kWrites = false;
  std::string player;
  std::string id;
};
// The player's current scores on the boards of this remote, sorted by board name. Answer:
// std::vector<Registry::ScoreOf>.
struct ScoresOf {
  static constexpr bool kWrites = false;
  std::string player;
};
// Removes the profile and the sessions. If it was interrupted, asking again completes it. Answer:
// bool, whether there was a profile.
struct ForgetPlayer {
  static constexpr bool kWrites = true;
  std::string player;
};

}  // namespace request

using PlayerForms = std::variant<request::SavePlayer, request::ReadPlayer,
                                 request::ReadPlayerByEmail, request::ReadNames,
                                 request::RecordSession, request::SessionsOf, request::SessionsIn,
                                 request::ReadSession, request::ScoresOf, request::ForgetPlayer>;

}  // namespace laurel
