// remote board: submitting results, joining, leaving and bans.
#include <array>
#include <string>

#include "bindings/handle/methods.h"
#include "bindings/remote/remote_archive.h"
#include "bindings/remote/remote_call.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/read_items.h"
#include "bindings/values/read_submission.h"

namespace laurel {

namespace {

// score, changed
int push_written(lua_State* L, RemoteCall& pending) {
  const auto& written = pending.answer<Written>();
  push_optional(L, written.score);
  lua_pushboolean(L, written.changed);
  return 2;
}

// board:submit, board:add, board:set (player, score [, data [, at]]) -> score, changed
template <WriteMode how>
int remote_submit(const Call& call, const RemoteBoardRef& self) {
  const Submission submission = submission_of(call);
  return wait_for(call, self, push_written,
                  [&submission] { return request::Write{.how = how, .what = own(submission)}; });
}

int push_report(lua_State* L, RemoteCall& pending) {
  const auto& written = pending.answer<Written>();
  if (written.change) {
    push_change(L, *written.change);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

// board:submit_report(player, score [, data [, at]]) -> change
int remote_submit_report(const Call& call, const RemoteBoardRef& self) {
  const Submission submission = submission_of(call);
  return wait_for(call, self, push_report, [&submission] {
    return request::Write{.what = own(submission), .report = true};
  });
}

void show_refused(const WrittenAll& written, CallBuffers& buffers) {
  for (const auto& [index, refusal] : written.refused)
    buffers.refused.push_back({index + 1, refusal});
}

int push_written_all(lua_State* L, RemoteCall& pending) {
  const auto& written = pending.answer<WrittenAll>();
  CallBufferPool& owner = pending.boards().buffers;
  CallBuffers& buffers = owner.borrow(L);
  show_refused(written, buffers);
  lua_pushnumber(L, static_cast<double>(written.changed));
  push_refused(L, buffers.refused);
  owner.give_back(buffers);
  return 2;
}

request::WriteAll all_of(const std::vector<Submission>& submissions) {
  request::WriteAll all;
  all.what.reserve(submissions.size());
  for (const Submission& submission : submissions) all.what.push_back(own(submission));
  return all;
}

// board:submit_all(list) -> how many changed, array of { index=, reason= }
int remote_submit_all(const Call& call, const RemoteBoardRef& self) {
  call.array(1);
  if (const Status may = may_wait(call, self); !may) return refuse(call.L, may.refusal());
  CallBuffers& buffers = borrow_buffers(call, *self.boards);
  if (const WrongItem wrong = read_items(call, kByPosition, buffers.submissions); wrong.item != 0) {
    self.boards->buffers.give_back(buffers);
    raise_item(call, wrong);
  }
  return wait_for(call, self, push_written_all, [&self, &buffers] {
    request::WriteAll all = all_of(buffers.submissions);
    self.boards->buffers.give_back(buffers);
    return all;
  });
}

// board:post(player, score [, data [, at]]) -> true | nil, reason
int remote_post(const Call& call, const RemoteBoardRef& self) {
  const Submission submission = submission_of(call);
  const Status kept = remotes_of(call, self).post(self.handle, own(submission));
  flush_log(call.L, *self.boards);
  if (!kept) return refuse(call.L, kept.refusal());
  lua_pushboolean(call.L, 1);
  return committed(call.L, *self.boards, 1);
}

// board:remove(player), board:leave(player), board:ban(player), board:unban(player) -> boolean
template <typename What>
int remote_act_on_player(const Call& call, const RemoteBoardRef& self) {
  const std::string_view player = call.string(1);
  return wait_for(call, self, push_bool_answer, [player] {
    What what;
    what.player = std::string(player);
    return what;
  });
}

// board:clear() -> number of removed entries; board:reset() -> number of the season that ended
template <typename What>
int remote_act(const Call& call, const RemoteBoardRef& self) {
  return wait_for(call, self, push_number_answer, [] { return What{}; });
}

int push_joined(lua_State* L, RemoteCall& pending) {
  lua_pushboolean(L, pending.answer<Written>().changed);
  return 1;
}

// board:join(player [, score]) -> boolean
int remote_join(const Call& call, const RemoteBoardRef& self) {
  const std::string_view player = call.string(1);
  const std::optional<double> score = call.optional_number(2);
  return wait_for(call, self, push_joined, [player, score] {
    request::Join join;
    join.what.player = std::string(player);
    join.what.score = score.value_or(0);
    join.with_score = score.has_value();
    return join;
  });
}

int push_players(lua_State* L, RemoteCall& pending) {
  push_strings(L, pending.answer<std::vector<std::string>>());
  return 1;
}

// board:banned() -> sorted array of players
int remote_banned(lua_State* L) {
  const Call call{L, "banned"};
  const RemoteBoardRef& self = remote_self(call);
  if (redirect_to_source_board(call, self)) return board_banned(L);
  return wait_for(
      call, *self.boards, self.name(), self.handle, 0, push_players,
      [] { return request::Banned{}; }, [](RemoteCall&) {});
}

constexpr std::array kRemoteWriteMethods = {
    luaL_Reg{"submit", guarded<remote_write_method<"submit", remote_submit<WriteMode::submit>>>},
    luaL_Reg{"add", guarded<remote_write_method<"add", remote_submit<WriteMode::add>>>},
    luaL_Reg{"set", guarded<remote_write_method<"set", remote_submit<WriteMode::set>>>},
    luaL_Reg{"submit_report", guarded<remote_write_method<"submit_report", remote_submit_report>>},
    luaL_Reg{"submit_all", guarded<remote_write_method<"submit_all", remote_submit_all>>},
    luaL_Reg{"post", guarded<remote_write_method<"post", remote_post>>},
    luaL_Reg{"remove",
             guarded<remote_write_method<"remove", remote_act_on_player<request::Remove>>>},
    luaL_Reg{"clear", guarded<remote_write_method<"clear", remote_act<request::Clear>>>},
    luaL_Reg{"reset", guarded<remote_write_method<"reset", remote_act<request::Reset>>>},
    luaL_Reg{"join", guarded<remote_write_method<"join", remote_join>>},
    luaL_Reg{"leave", guarded<remote_write_method<"leave", remote_act_on_player<request::Leave>>>},
    luaL_Reg{"ban", guarded<remote_write_method<"ban", remote_act_on_player<request::Ban>>>},
    luaL_Reg{"unban", guarded<remote_write_method<"unban", remote_act_on_player<request::Unban>>>},
    luaL_Reg{"banned", guarded<remote_banned>},
};

}  // namespace

Methods remote_write_methods() { return kRemoteWriteMethods; }

}  // namespace laurel
