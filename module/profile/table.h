// table.h - the keys of the one table that holds players, their profiles and their sessions.
//
//   key                                     value
//   PLAYER#<player> 0 PROFILE               the profile
//   PLAYER#<player> 0 SESSION#<session>     the session, without its player and id
//   EMAIL#<email>                           <player>
//   GAME#<game> 0 SESSION#<session>         <player>
//   SESSION#<session>                       <player>
//
// 0 is a zero byte, which neither players nor games have: it ends them, so that whatever else
// stands in an id, '#' included, no key is another's and none stands among another's sessions.
// Everything before the first '#' is the kind, so that a player "EMAIL#x" is no email. Sessions are
// ULIDs: of one player or game they stand in the order of time.
#pragma once

#include <string>
#include <string_view>

namespace laurel::table {

inline constexpr std::string_view kPlayers = "PLAYER#";
inline constexpr std::string_view kSessions = "SESSION#";

// REQUIRES of all: players, games and sessions that passed their checks.
std::string profile_key(std::string_view player);
std::string email_key(std::string_view email);
std::string session_key(std::string_view session);
// What the keys of all sessions of a player, or in a game, begin with; the session's id follows.
std::string sessions_of_player(std::string_view player);
std::string sessions_in_game(std::string_view game);

// The player of a key that begins with kPlayers; a view of it.
std::string_view player_of(std::string_view key);
// Behind every key of the player and before those of the next.
std::string behind_player(std::string_view player);

}  // namespace laurel::table
