// boards: players and sessions. If these are remote, the calls continue in remote_players.cc.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/options.h"
#include "bindings/lua/type_name.h"
#include "bindings/remote/remote_players.h"
#include "bindings/values/push_profile.h"

namespace laurel {

namespace {

// ---- players

constexpr std::array kPlayerFields = {
    Option{"id", LUA_TSTRING, Given::always},
    Option{"name", LUA_TSTRING},
    Option{"email", LUA_TSTRING},
    Option{"attributes", LUA_TTABLE},
};

// Calls visit(name, value) for each attribute that is given, the value absent if it is false.
// Leaves the names and values on the stack or in their table, so that views of them are valid.
template <typename Visit>
void each_given_attribute(const Call& call, Visit visit) {
  lua_State* L = call.L;
  push_option(call, 1, "attributes");
  if (lua_isnil(L, -1)) return;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      call.bad(1, "field 'attributes': the names of attributes are strings, got a %s",
               type_name(L, -2));
    }
    const std::string_view name = Call::string_at(L, -2);
    const bool is_off = lua_type(L, -1) == LUA_TBOOLEAN && lua_toboolean(L, -1) == 0;
    if (!is_off && lua_type(L, -1) != LUA_TSTRING) {
      call.bad(1, "field 'attributes': '%s': string or false expected, got %s", shown(name).text,
               type_name(L, -1));
    }
    visit(name, is_off ? std::nullopt : std::optional(Call::string_at(L, -1)));
    lua_pop(L, 1);
  }
}

Status read_attributes(const Call& call, AttributeChanges& changes) {
  Status valid = Done{};
  each_given_attribute(call, [&](std::string_view name, std::optional<std::string_view> value) {
    if (valid) valid = changes.add(name, value);
  });
  return valid;
}

// boards:save_player{ id=, name=, email=, attributes= } -> true | nil, reason
int boards_save_player(lua_State* L) {
  const Call call{L, "save_player"};
  RegistryHandle& boards = boards_self(call);
  check_options(call, 1, kPlayerFields);
  AttributeChanges attributes;
  const Status valid = read_attributes(call, attributes);
  if (!valid) return refuse(L, valid.refusal());
  const ProfileFields fields{.id = string_option(call, 1, "id").value_or(""),
                             .name = string_option(call, 1, "name"),
                             .email = string_option(call, 1, "email"),
                             .attributes = attributes.text()};
  if (players_are_remote(boards)) return remote_save_player(call, boards, fields);
  read_clock(call, boards);
  Registry& registry = registry_of(call, boards);
  const Status saved = registry.profiles().save(fields, registry.now());
  flush_log(L, boards);
  if (!saved) return refuse(L, saved.refusal());
  lua_pushboolean(L, 1);
  return 1;
}

// boards:player(id), boards:player_by_email(email) -> player | nil
constexpr const char* kPlayer = "player";
constexpr const char* kPlayerByEmail = "player_by_email";

template <const char* const& name, std::optional<Profile> (Profiles::*find)(std::string_view) const,
          int (*remote)(const Call&, RegistryHandle&, std::string_view)>
int boards_player(lua_State* L) {
  const Call call{L, name};
  RegistryHandle& boards = boards_self(call);
  const std::string_view wanted = call.string(1);
  if (players_are_remote(boards)) return remote(call, boards, wanted);
  CallBuffers& buffers = borrow_buffers(call, boards);
  std::optional<Profile> profile = (registry_of(call, boards).profiles().*find)(wanted);
  if (profile) {
    buffers.own(*profile);
    push_profile(L, *profile);
  } else {
    lua_pushnil(L);
  }
  boards.buffers.give_back(buffers);
  return 1;
}

// boards:scores_of(player) -> array of { board=, season=, score=, rank=, at= }
int boards_scores_of(lua_State* L) {
  const Call call{L, "scores_of"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view player = call.string(1);
  if (players_are_remote(boards)) return remote_scores_of(call, boards, player);
  read_clock(call, boards);
  CallBuffers& buffers = borrow_buffers(call, boards);
  buffers.scores_of = registry_of(call, boards).scores_of(player);

  push_scores_of(L, buffers.scores_of);
  boards.buffers.give_back(buffers);
  return 1;
}

// ---- sessions

constexpr std::array kSessionFields = {
    Option{"player", LUA_TSTRING, Given::always},
    Option{"game", LUA_TSTRING, Given::always},
    Option{"score", LUA_TNUMBER, Given::always},
    Option{"seconds", LUA_TNUMBER, Given::always},
    Option{"data", LUA_TSTRING},
    Option{"at", LUA_TNUMBER},
    Option{"id", LUA_TSTRING},
};

Status record(Registry& registry, const NewSession& session, CallBuffers& buffers) {
  Result<std::string> id = registry.sessions().record(session, registry.now());
  if (!id) return id.refusal();
  buffers.text = std::move(*id);
  return Done{};
}

// boards:record_session{ player=, game=, score=, seconds= [, data=, at=, id=] } -> id | nil, reason
int boards_record_session(lua_State* L) {
  const Call call{L, "record_session"};
  RegistryHandle& boards = boards_self(call);
  check_options(call, 1, kSessionFields);
  const NewSession session{.player = string_option(call, 1, "player").value_or(""),
                           .game = string_option(call, 1, "game").value_or(""),
                           .score = score_option(call, 1, "score").value_or(0),
                           .seconds = number_option(call, 1, "seconds").value_or(0),
                           .data = string_option(call, 1, "data"),
                           .at = number_option(call, 1, "at"),
                           .id = string_option(call, 1, "id")};
  if (players_are_remote(boards)) return remote_record_session(call, boards, session);
  read_clock(call, boards);
  CallBuffers& buffers = borrow_buffers(call, boards);
  const Status recorded = record(registry_of(call, boards), session, buffers);
  flush_log(L, boards);
  if (recorded) push(L, buffers.text);
  boards.buffers.give_back(buffers);
  return recorded ? 1 : refuse(L, recorded.refusal());
}

constexpr const char* kSessionsOf = "sessions_of";
constexpr const char* kSessionsIn = "sessions_in";
constexpr std::size_t kSessionsShown = 100;  // the default limit

// boards:sessions_of(player [, limit [, before]]), boards:sessions_in(game [, limit [, before]])
//   -> sessions, newest first
template <const char* const& name,
          std::vector<Session> (Sessions::*list)(std::string_view, std::size_t,
                                                 std::optional<std::string_view>) const,
          int (*remote)(const Call&, RegistryHandle&, std::string_view, std::size_t,
                        std::optional<std::string_view>)>
int boards_sessions(lua_State* L) {
  const Call call{L, name};
  RegistryHandle& boards = boards_self(call);
  const std::string_view whose = call.string(1);
  const std::size_t limit = call.absent(2) ? kSessionsShown : call.count(2);
  const std::optional<std::string_view> before = call.optional_string(3);
  if (players_are_remote(boards)) return remote(call, boards, whose, limit, before);
  CallBuffers& buffers = borrow_buffers(call, boards);
  buffers.sessions = (registry_of(call, boards).sessions().*list)(whose, limit, before);
  for (Session& session : buffers.sessions) buffers.own(session);

  push_sessions(L, buffers.sessions);
  boards.buffers.give_back(buffers);
  return 1;
}

// boards:session(player, id) -> session | nil
int boards_session(lua_State* L) {
  const Call call{L, "session"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view player = call.string(1);
  const std::string_view id = call.string(2);
  if (players_are_remote(boards)) return remote_session(call, boards, player, id);
  CallBuffers& buffers = borrow_buffers(call, boards);
  std::optional<Session> found = registry_of(call, boards).sessions().get(player, id);
  if (found) {
    buffers.own(*found);
    push_session(L, *found);
  } else {
    lua_pushnil(L);
  }
  boards.buffers.give_back(buffers);
  return 1;
}

constexpr std::array kPlayersMethods = {
    luaL_Reg{"save_player", guarded<write_method<boards_save_player>>},
    luaL_Reg{"player", guarded<boards_player<kPlayer, &Profiles::get, remote_player>>},
    luaL_Reg{"player_by_email",
             guarded<boards_player<kPlayerByEmail, &Profiles::by_email, remote_player_by_email>>},
    luaL_Reg{"scores_of", guarded<boards_scores_of>},
    luaL_Reg{"record_session", guarded<write_method<boards_record_session>>},
    luaL_Reg{"sessions_of",
             guarded<boards_sessions<kSessionsOf, &Sessions::of_player, remote_sessions_of>>},
    luaL_Reg{"sessions_in",
             guarded<boards_sessions<kSessionsIn, &Sessions::in_game, remote_sessions_in>>},
    luaL_Reg{"session", guarded<boards_session>},
};

}  // namespace

Methods players_methods() { return kPlayersMethods; }

}  // namespace laurel
