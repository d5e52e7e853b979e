// table.h - the keys of the table of profiles and sessions.
//
//   key                                     value
//   PLAYER#<player> 0 PROFILE               the profile
//   PLAYER#<player> 0 SESSION#<session>     the session, without its player and id
//   EMAIL#<email>                           <player>
//   GAME#<game> 0 SESSION#<session>         <player>
//   SESSION#<session>                       <player>
//
// 0 is a zero byte. Players and games have none, so it terminates them: even if ids contain '#',
// two keys never collide, and no key sorts among another player's sessions. The kind is everything
// before the first '#', so a player "EMAIL#x" is not taken for an email. Session ids are ULIDs, so
// the sessions of a player or a game are in the order of time.
#pragma once

#include <string>
#include <string_view>

namespace laurel::table {

inline constexpr std::string_view kPlayers = "PLAYER#";
inline constexpr std::string_view kSessions = "SESSION#";

// REQUIRES of all: valid players, games and sessions.
std::string profile_key(std::string_view player);
std::string email_key(std::string_view email);
std::string session_key(std::string_view session);
// The prefix of the keys of all sessions of a player, or in a game. The session's id follows.
std::string sessions_of_player(std::string_view player);
std::string sessions_in_game(std::string_view game);

// The player of a key that begins with kPlayers, as a view of the key.
std::string_view player_of(std::string_view key);
// A key behind all keys of the player and before those of the next player.
std::string behind_player(std::string_view player);

}  // namespace laurel::table
