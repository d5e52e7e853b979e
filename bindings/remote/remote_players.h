// remote_players.h - the calls about players and sessions if these are remote (`players` of
// laurel.open): the task waits, as in calls on remote boards. The answers are those of the local
// calls.
//
//   arguments  are already read; they are views of the call's stack.
//   scores     are those of the remote boards and of the local boards.
#pragma once

#include <optional>
#include <string_view>

#include <lua.hpp>

#include "bindings/handle/registry_handle.h"

namespace laurel {

bool players_are_remote(const RegistryHandle& boards);

// All calls below REQUIRE players_are_remote(handle).
int remote_save_player(const Call& call, RegistryHandle& boards, const ProfileFields& fields);
int remote_player(const Call& call, RegistryHandle& boards, std::string_view id);
int remote_player_by_email(const Call& call, RegistryHandle& boards, std::string_view email);
int remote_scores_of(const Call& call, RegistryHandle& boards, std::string_view player);
int remote_record_session(const Call& call, RegistryHandle& boards, const NewSession& session);
int remote_sessions_of(const Call& call, RegistryHandle& boards, std::string_view player,
                       std::size_t limit, std::optional<std::string_view> before);
int remote_sessions_in(const Call& call, RegistryHandle& boards, std::string_view game,
                       std::size_t limit, std::optional<std::string_view> before);
int remote_session(const Call& call, RegistryHandle& boards, std::string_view player,
                   std::string_view id);

}  // namespace laurel
