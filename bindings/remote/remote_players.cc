#include "bindings/remote/remote_players.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/lua/table.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_profile.h"
#include "remote/remote_players.h"

namespace laurel {

namespace {

std::optional<std::string> owned(std::optional<std::string_view> text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

// Reads the clock first: it gives the time of what is created or changed.
template <typename Make, typename More>
int call_players(const Call& call, RegistryHandle& boards, RemoteCall::Push push, Make make,
                 More more) {
  read_clock(call, boards);
  registry_of(call, boards);
  return wait_for(call, boards, "boards", BoardHandle(), 0, push, make, more);
}

template <typename Make>
int call_players(const Call& call, RegistryHandle& boards, RemoteCall::Push push, Make make) {
  return call_players(call, boards, push, make, [](RemoteCall&) {});
}

int push_player(lua_State* L, RemoteCall& pending) {
  const auto& profile = pending.answer<std::optional<OwnedProfile>>();
  if (profile) {
    push_profile(L, profile->view());
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int push_id(lua_State* L, RemoteCall& pending) {
  push(L, pending.answer<std::string>());
  return 1;
}

int push_one_session(lua_State* L, RemoteCall& pending) {
  const auto& session = pending.answer<std::optional<OwnedSession>>();
  if (session) {
    push_session(L, session->view());
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int push_list(lua_State* L, RemoteCall& pending) {
  push_array(
      L, pending.answer<std::vector<OwnedSession>>(),
      [](lua_State* state, const OwnedSession& session) { push_session(state, session.view()); });
  return 1;
}

// Collects the scores on remote and local boards, sorted by board name.
void collect_scores(RemoteCall& pending, std::vector<Registry::ScoreOf>& scores) {
  scores = std::move(pending.answer<std::vector<Registry::ScoreOf>>());
  if (!pending.boards().open()) return;
  for (Registry::ScoreOf& local : pending.boards().registry->scores_of(pending.text)) {
    scores.push_back(std::move(local));
  }
  std::ranges::stable_sort(scores, {}, &Registry::ScoreOf::board);
}

int push_scores_answer(lua_State* L, RemoteCall& pending) {
  CallBufferPool& owner = pending.boards().buffers;
  CallBuffers& buffers = owner.borrow(L);
  collect_scores(pending, buffers.scores_of);
  push_scores_of(L, buffers.scores_of);
  owner.give_back(buffers);
  return 1;
}

}  // namespace

bool players_are_remote(const RegistryHandle& boards) {
  const RemoteBoards* const remotes = boards.open() ? RemoteBoards::of(*boards.registry) : nullptr;
  return remotes != nullptr && remotes->players() != nullptr;
}

int remote_save_player(const Call& call, RegistryHandle& boards, const ProfileFields& fields) {
  return call_players(call, boards, push_bool_answer, [&fields] {
    return request::SavePlayer{std::string(fields.id), owned(fields.name), owned(fields.email),
                               std::string(fields.attributes)};
  });
}

int remote_player(const Call& call, RegistryHandle& boards, std::string_view id) {
  return call_players(call, boards, push_player,
                      [id] { return request::ReadPlayer{std::string(id)}; });
}

int remote_player_by_email(const Call& call, RegistryHandle& boards, std::string_view email) {
  return call_players(call, boards, push_player,
                      [email] { return request::ReadPlayerByEmail{std::string(email)}; });
}

int remote_scores_of(const Call& call, RegistryHandle& boards, std::string_view player) {
  return call_players(
      call, boards, push_scores_answer, [player] { return request::ScoresOf{std::string(player)}; },
      [player](RemoteCall& pending) { pending.text = player; });
}

int remote_record_session(const Call& call, RegistryHandle& boards, const NewSession& session) {
  return call_players(call, boards, push_id, [&session] {
    return request::RecordSession{.player = std::string(session.player),
                                  .game = std::string(session.game),
                                  .score = session.score,
                                  .seconds = session.seconds,
                                  .data = owned(session.data),
                                  .at = session.at,
                                  .id = owned(session.id)};
  });
}

int remote_sessions_of(const Call& call, RegistryHandle& boards, std::string_view player,
                       std::size_t limit, std::optional<std::string_view> before) {
  return call_players(call, boards, push_list, [player, limit, before] {
    return request::SessionsOf{std::string(player), limit, owned(before)};
  });
}

int remote_sessions_in(const Call& call, RegistryHandle& boards, std::string_view game,
                       std::size_t limit, std::optional<std::string_view> before) {
  return call_players(call, boards, push_list, [game, limit, before] {
    return request::SessionsIn{std::string(game), limit, owned(before)};
  });
}

int remote_session(const Call& call, RegistryHandle& boards, std::string_view player,
                   std::string_view id) {
  return call_players(call, boards, push_one_session, [player, id] {
    return request::ReadSession{std::string(player), std::string(id)};
  });
}

}  // namespace laurel
