#include "profile/table.h"

#include <initializer_list>

namespace laurel::table {

namespace {

constexpr std::string_view kEnd("\0", 1);

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) key += part;
  return key;
}

}  // namespace

std::string profile_key(std::string_view player) {
  return joined({kPlayers, player, kEnd, "PROFILE"});
}

std::string email_key(std::string_view email) { return joined({"EMAIL#", email}); }

std::string session_key(std::string_view session) { return joined({kSessions, session}); }

std::string sessions_of_player(std::string_view player) {
  return joined({kPlayers, player, kEnd, kSessions});
}

std::string sessions_in_game(std::string_view game) {
  return joined({"GAME#", game, kEnd, kSessions});
}

std::string_view player_of(std::string_view key) {
  key.remove_prefix(kPlayers.size());
  return key.substr(0, key.find(kEnd));
}

std::string behind_player(std::string_view player) { return joined({kPlayers, player, "\1"}); }

}  // namespace laurel::table
