// push_profile.h - players and sessions as the tables that scripts read. As in push_entry.h, each
// function pushes one value, and its arguments must not point into the store.
#pragma once

#include <lua.hpp>

#include "bindings/values/call_buffers.h"

namespace laurel {

// { id=, name=, email=, lifetime_score=, games_played=, created_at=, updated_at=,
//   attributes = { name = value } }
void push_profile(lua_State* L, const Profile& profile);
// An array of { board=, season=, score=, rank=, at= }, in order.
void push_scores_of(lua_State* L, const std::vector<Registry::ScoreOf>& scores);
// { id=, player=, game=, score=, seconds=, at=, data= }
void push_session(lua_State* L, const Session& session);
// An array of sessions, in order.
void push_sessions(lua_State* L, const std::vector<Session>& sessions);

}  // namespace laurel
