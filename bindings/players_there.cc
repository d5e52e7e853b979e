#include "bindings/players_there.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/lua_fields.h"
#include "bindings/push_profile.h"
#include "bindings/remote_call.h"
#include "remote/remote_players.h"

namespace laurel {

namespace {

std::optional<std::string> owned(std::optional<std::string_view> text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

// Reads the clock first: it gives the time of what is created or changed.
template <typename Make, typename More>
int ask_there(const Call& call, BoardsBox& box, RemoteWait::Push push, Make make, More more) {
  read_clock(call, box);
  registry_of(call, box);
  return wait_for(call, box, "boards", BoardHandle(), 0, push, make, more);
}

template <typename Make>
int ask_there(const Call& call, BoardsBox& box, RemoteWait::Push push, Make make) {
  return ask_there(call, box, push, make, [](RemoteWait&) {});
}

int push_player(lua_State* L, RemoteWait& wait) {
  const auto& profile = wait.answer<std::optional<OwnedProfile>>();
  if (profile) {
    push_profile(L, profile->view());
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int push_id(lua_State* L, RemoteWait& wait) {
  push(L, wait.answer<std::string>());
  return 1;
}

int push_one_session(lua_State* L, RemoteWait& wait) {
  const auto& session = wait.answer<std::optional<OwnedSession>>();
  if (session) {
    push_session(L, session->view());
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int push_list(lua_State* L, RemoteWait& wait) {
  push_array(
      L, wait.answer<std::vector<OwnedSession>>(),
      [](lua_State* state, const OwnedSession& session) { push_session(state, session.view()); });
  return 1;
}

// Collects the scores on remote and local boards, sorted by board name.
void collect_scores(RemoteWait& wait, std::vector<Registry::ScoreOf>& scores) {
  scores = std::move(wait.answer<std::vector<Registry::ScoreOf>>());
  if (!wait.box().open()) return;
  for (Registry::ScoreOf& here : wait.box().registry->scores_of(wait.text)) {
    scores.push_back(std::move(here));
  }
  std::ranges::stable_sort(scores, {}, &Registry::ScoreOf::board);
}

int push_scores_answer(lua_State* L, RemoteWait& wait) {
  ListsOwner& owner = wait.box().lists;
  Lists& lists = owner.borrow(L);
  collect_scores(wait, lists.scores_of);
  push_scores_of(L, lists.scores_of);
  owner.give_back(lists);
  return 1;
}

}  // namespace

bool players_are_there(const BoardsBox& box) {
  const RemoteBoards* const remotes = box.open() ? RemoteBoards::of(*box.registry) : nullptr;
  return remotes != nullptr && remotes->players() != nullptr;
}

int save_player_there(const Call& call, BoardsBox& box, const ProfileFields& fields) {
  return ask_there(call, box, push_bool_answer, [&fields] {
    return request::SavePlayer{std::string(fields.id), owned(fields.name), owned(fields.email)};
  });
}

int player_there(const Call& call, BoardsBox& box, std::string_view id) {
  return ask_there(call, box, push_player, [id] { return request::ReadPlayer{std::string(id)}; });
}

int player_by_email_there(const Call& call, BoardsBox& box, std::string_view email) {
  return ask_there(call, box, push_player,
                   [email] { return request::ReadPlayerByEmail{std::string(email)}; });
}

int scores_of_there(const Call& call, BoardsBox& box, std::string_view player) {
  return ask_there(
      call, box, push_scores_answer, [player] { return request::ScoresOf{std::string(player)}; },
      [player](RemoteWait& wait) { wait.text = player; });
}

int record_session_there(const Call& call, BoardsBox& box, const NewSession& session) {
  return ask_there(call, box, push_id, [&session] {
    return request::RecordSession{.player = std::string(session.player),
                                  .game = std::string(session.game),
                                  .score = session.score,
                                  .seconds = session.seconds,
                                  .data = owned(session.data),
                                  .at = session.at,
                                  .id = owned(session.id)};
  });
}

int sessions_of_there(const Call& call, BoardsBox& box, std::string_view player, std::size_t limit,
                      std::optional<std::string_view> before) {
  return ask_there(call, box, push_list, [player, limit, before] {
    return request::SessionsOf{std::string(player), limit, owned(before)};
  });
}

int sessions_in_there(const Call& call, BoardsBox& box, std::string_view game, std::size_t limit,
                      std::optional<std::string_view> before) {
  return ask_there(call, box, push_list, [game, limit, before] {
    return request::SessionsIn{std::string(game), limit, owned(before)};
  });
}

int session_there(const Call& call, BoardsBox& box, std::string_view player, std::string_view id) {
  return ask_there(call, box, push_one_session, [player, id] {
    return request::ReadSession{std::string(player), std::string(id)};
  });
}

}  // namespace laurel
