// board: submitting results, and removing entries.
#include <array>

#include "bindings/boards_box.h"
#include "bindings/push_entry.h"
#include "bindings/read_submission.h"
#include "bindings/result_items.h"
#include "bindings/wraps.h"

namespace laurel {

namespace {

// score, changed | nil, reason; nil, false if the board does not show the player
int board_answer(lua_State* L, const Result<Outcome>& outcome) {
  if (!outcome) return refuse(L, outcome.refusal());
  push_optional(L, outcome->score);
  lua_pushboolean(L, outcome->changed);
  return 2;
}

// board:submit(player, score [, data [, at]]), board:add(player, delta [, data [, at]]) -> score,
// changed | nil, reason
template <Act act>
int board_submit(const Call& call, const BoardRef& self) {
  Board& board = board_now(call, self);
  const Submission submission = submission_of(call);
  const Result<Outcome> outcome = board.submit(act, submission);
  settle(call.L, *self.box);
  return board_answer(call.L, outcome);
}

// board:set(player, score [, data [, at]]) -> score, changed | nil, reason
int board_set(const Call& call, const BoardRef& self) {
  Board& board = board_now(call, self);
  const Submission submission = submission_of(call);
  const Result<Outcome> outcome = board.set(submission);
  settle(call.L, *self.box);
  return board_answer(call.L, outcome);
}

Status report(Board& board, const Submission& submission, Change& change) {
  Result<Change> reported = board.submit_report(submission);
  if (!reported) return reported.refusal();
  change = std::move(*reported);
  return Done{};
}

// board:submit_report(player, score [, data [, at]]) -> change | nil, reason
int board_submit_report(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  board_now(call, self);
  const Submission submission = submission_of(call);
  Lists& lists = borrow_lists(call, self);
  const Status reported = report(board_of(call, self), submission, lists.change);
  settle(L, *self.box);
  if (reported) push_change(L, lists.change);
  self.box->lists.give_back(lists);
  return reported ? 1 : refuse(L, reported.refusal());
}

// ---- board:submit_all(list)

// Submits them in order; one that is refused does not stop the others. Returns how many changed.
std::size_t submit_each(Board& board, Lists& lists) {
  return board.submit_all(lists.submissions, [&lists](std::size_t index, const Refusal& refusal) {
    lists.refused.push_back({index + 1, refusal});
  });
}

// Submits what was read, pushes the answers and gives the lists back.
int answer_submit_all(const Call& call, const BoardRef& self, Lists& lists) {
  lua_State* const L = call.L;
  Board& board = board_of(call, self);
  const std::size_t changed = submit_each(board, lists);
  settle(L, *self.box);

  lua_pushnumber(L, static_cast<double>(changed));
  push_refused(L, lists.refused);
  self.box->lists.give_back(lists);
  return 2;
}

// board:submit_all(list) -> how many changed, array of { index=, reason= }
int board_submit_all(const Call& call, const BoardRef& self) {
  board_now(call, self);
  call.table(1);
  if (Lists& lists = borrow_lists(call, self);
      read_plain_items(call, kByPosition, lists.submissions)) {
    return answer_submit_all(call, self, lists);
  } else {
    self.box->lists.give_back(lists);  // the slow path orders the items or raises the error
  }
  call.array(1);
  Lists& lists = borrow_lists(call, self);
  if (const WrongItem wrong = read_items(call, kByPosition, lists.submissions); wrong.item != 0) {
    self.box->lists.give_back(lists);
    raise_item(call, wrong);
  }
  return answer_submit_all(call, self, lists);
}

// ---- removing

// board:remove(player) -> boolean | nil, reason
int board_remove(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  standings_now(call, self);
  const std::string_view player = call.string(1);
  const Result<bool> removed = board_of(call, self).remove(player);
  settle(L, *self.box);
  if (!removed) return refuse(L, removed.refusal());
  lua_pushboolean(L, *removed);
  return 1;
}

// board:clear() -> number of removed entries | nil, reason
int board_clear(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  standings_now(call, self);
  const Result<std::size_t> entries = board_of(call, self).clear();
  settle(L, *self.box);
  if (!entries) return refuse(L, entries.refusal());
  lua_pushnumber(L, static_cast<double>(*entries));
  return 1;
}

constexpr std::array kBoardWriteMethods = {
    luaL_Reg{"submit", guarded<writing<"submit", board_submit<Act::submit>>>},
    luaL_Reg{"post", guarded<writing<"post", board_submit<Act::submit>>>},
    luaL_Reg{"add", guarded<writing<"add", board_submit<Act::add>>>},
    luaL_Reg{"set", guarded<writing<"set", board_set>>},
    luaL_Reg{"submit_report", guarded<writing<"submit_report", board_submit_report>>},
    luaL_Reg{"submit_all", guarded<writing<"submit_all", board_submit_all>>},
    luaL_Reg{"remove", guarded<writing<"remove", board_remove>>},
    luaL_Reg{"clear", guarded<writing<"clear", board_clear>>},
};

}  // namespace

Methods board_write_methods() { return kBoardWriteMethods; }

}  // namespace laurel
