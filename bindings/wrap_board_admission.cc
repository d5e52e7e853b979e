// board: who may play - joining, leaving, bans.
#include <array>

#include "bindings/boards_box.h"
#include "bindings/push_entry.h"
#include "bindings/wraps.h"

namespace laurel {

namespace {

// true or false | nil, reason
int answer(lua_State* L, const Result<bool>& changed) {
  if (!changed) return refuse(L, changed.refusal());
  lua_pushboolean(L, *changed);
  return 1;
}

// board:join(player [, score]) -> boolean | nil, reason
int join(lua_State* L) {
  const Call call{L, "join"};
  const BoardRef& self = board_self_now(call);
  Submission submission;
  submission.player = call.string(1);
  const std::optional<double> score = call.optional_number(2);
  submission.score = score.value_or(0);
  const Result<bool> joined = board_of(call, self).join(submission, score.has_value());
  settle(L, *self.box);
  return answer(L, joined);
}

constexpr const char* kLeave = "leave";
constexpr const char* kBan = "ban";
constexpr const char* kUnban = "unban";

// board:leave(player), board:ban(player), board:unban(player) -> boolean | nil, reason
template <const char* const& name, Result<bool> (Board::*act)(std::string_view)>
int change_admission(lua_State* L) {
  const Call call{L, name};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const Result<bool> changed = (board_of(call, self).*act)(player);
  settle(L, *self.box);
  return answer(L, changed);
}

// board:banned() -> sorted array of players
int banned(lua_State* L) {
  const Call call{L, "banned"};
  const BoardRef& self = board_self(call);
  Lists& lists = borrow_lists(call, self);
  lists.strings = board_of(call, self).banned();

  push_strings(L, lists.strings);
  self.box->lists.give_back(lists);
  return 1;
}

constexpr std::array kMethods = {
    luaL_Reg{"join", guarded<writing<join>>},
    luaL_Reg{"leave", guarded<writing<change_admission<kLeave, &Board::leave>>>},
    luaL_Reg{"ban", guarded<writing<change_admission<kBan, &Board::ban>>>},
    luaL_Reg{"unban", guarded<writing<change_admission<kUnban, &Board::unban>>>},
    luaL_Reg{"banned", guarded<banned>},
};

}  // namespace

Methods board_admission_methods() { return kMethods; }

}  // namespace laurel
