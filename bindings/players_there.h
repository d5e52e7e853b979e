// players_there.h - the calls about players and sessions if these are remote (`players` of
// laurel.open): the task waits, as in calls on remote boards. The answers are those of the local
// calls.
//
//   arguments  are already read; they are views of the call's stack.
//   scores     are those of the remote boards and of the local boards.
#pragma once

#include <optional>
#include <string_view>

#include <lua.hpp>

#include "bindings/boards_box.h"

namespace laurel {

bool players_are_there(const BoardsBox& box);

// All calls below REQUIRE players_are_there(box).
int save_player_there(const Call& call, BoardsBox& box, const ProfileFields& fields);
int player_there(const Call& call, BoardsBox& box, std::string_view id);
int player_by_email_there(const Call& call, BoardsBox& box, std::string_view email);
int scores_of_there(const Call& call, BoardsBox& box, std::string_view player);
int record_session_there(const Call& call, BoardsBox& box, const NewSession& session);
int sessions_of_there(const Call& call, BoardsBox& box, std::string_view player, std::size_t limit,
                      std::optional<std::string_view> before);
int sessions_in_there(const Call& call, BoardsBox& box, std::string_view game, std::size_t limit,
                      std::optional<std::string_view> before);
int session_there(const Call& call, BoardsBox& box, std::string_view player, std::string_view id);

}  // namespace laurel
