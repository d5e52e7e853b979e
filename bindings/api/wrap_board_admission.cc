// board: joining, leaving and bans.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/push_entry.h"

namespace laurel {

namespace {

// true or false | nil, reason
int board_answer(lua_State* L, const Result<bool>& changed) {
  if (!changed) return refuse(L, changed.refusal());
  lua_pushboolean(L, *changed);
  return 1;
}

// board:join(player [, score]) -> boolean | nil, reason
int board_join(const Call& call, const BoardRef& self) {
  Board& board = resolve_board(call, self);
  Submission submission;
  submission.player = call.string(1);
  const std::optional<double> score = call.optional_number(2);
  submission.score = score.value_or(0);
  const Result<bool> joined = board.join(submission, score.has_value());
  flush_log(call.L, *self.boards);
  return board_answer(call.L, joined);
}

// board:leave(player), board:ban(player), board:unban(player) -> boolean | nil, reason
template <Result<bool> (Board::*act)(std::string_view)>
int board_change_admission(const Call& call, const BoardRef& self) {
  resolve_standings(call, self);
  const std::string_view player = call.string(1);
  const Result<bool> changed = (board_of(call, self).*act)(player);
  flush_log(call.L, *self.boards);
  return board_answer(call.L, changed);
}

constexpr std::array kBoardAdmissionMethods = {
    luaL_Reg{"join", guarded<write_method<"join", board_join>>},
    luaL_Reg{"leave", guarded<write_method<"leave", board_change_admission<&Board::leave>>>},
    luaL_Reg{"ban", guarded<write_method<"ban", board_change_admission<&Board::ban>>>},
    luaL_Reg{"unban", guarded<write_method<"unban", board_change_admission<&Board::unban>>>},
    luaL_Reg{"banned", guarded<board_banned>},
};

}  // namespace

// board:banned() -> sorted array of players
int board_banned(lua_State* L) {
  const Call call{L, "banned"};
  const BoardRef& self = board_self(call);
  CallBuffers& buffers = borrow_buffers(call, self);
  buffers.strings = board_of(call, self).banned();

  push_strings(L, buffers.strings);
  self.boards->buffers.give_back(buffers);
  return 1;
}

Methods board_admission_methods() { return kBoardAdmissionMethods; }

}  // namespace laurel
