#include "bindings/values/push_profile.h"

#include "bindings/lua/table.h"
#include "bindings/values/column_values.h"

namespace laurel {

namespace {

void push_one_of(lua_State* L, const Registry::ScoreOf& score) {
  lua_createtable(L, 0, 5);
  set_text(L, "board", score.board);
  set_number(L, "season", static_cast<double>(score.season));
  set_score(L, "score", score.score, score.columns.get());
  set_number(L, "rank", static_cast<double>(score.rank));
  set_time(L, "at", score.at);
}

}  // namespace

void push_profile(lua_State* L, const Profile& profile) {
  lua_createtable(L, 0, 8);
  set_text(L, "id", profile.id);
  set_optional_text(L, "name", profile.name);
  set_optional_text(L, "email", profile.email);
  set_number(L, "lifetime_score", profile.lifetime_score);
  set_number(L, "games_played", static_cast<double>(profile.games_played));
  set_time(L, "created_at", profile.created_at);
  set_time(L, "updated_at", profile.updated_at);
  lua_newtable(L);
  each_attribute(profile.attributes, [L](std::string_view name, std::string_view value) {
    push(L, name);
    push(L, value);
    lua_rawset(L, -3);
  });
  lua_setfield(L, -2, "attributes");
}

void push_scores_of(lua_State* L, const std::vector<Registry::ScoreOf>& scores) {
  push_array(L, scores, push_one_of);
}

void push_session(lua_State* L, const Session& session) {
  lua_createtable(L, 0, 7);
  set_text(L, "id", session.id);
  set_text(L, "player", session.player);
  set_text(L, "game", session.game);
  set_number(L, "score", session.score);
  set_number(L, "seconds", session.seconds);
  set_time(L, "at", session.at);
  set_optional_text(L, "data", session.data);
}

void push_sessions(lua_State* L, const std::vector<Session>& sessions) {
  push_array(L, sessions, push_session);
}

}  // namespace laurel
