// board: submitting results, and removing entries.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/read_items.h"
#include "bindings/values/read_submission.h"

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
template <WriteMode mode>
int board_submit(const Call& call, const BoardRef& self) {
  Board& board = resolve_board(call, self);
  const Submission submission = submission_of(call);
  const Result<Outcome> outcome = board.submit(mode, submission);
  flush_log(call.L, *self.boards);
  return board_answer(call.L, outcome);
}

// board:set(player, score [, data [, at]]) -> score, changed | nil, reason
int board_set(const Call& call, const BoardRef& self) {
  Board& board = resolve_board(call, self);
  const Submission submission = submission_of(call);
  const Result<Outcome> outcome = board.set(submission);
  flush_log(call.L, *self.boards);
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
  resolve_board(call, self);
  const Submission submission = submission_of(call);
  CallBuffers& buffers = borrow_buffers(call, self);
  const Status reported = report(board_of(call, self), submission, buffers.change);
  flush_log(L, *self.boards);
  if (reported) push_change(L, buffers.change);
  self.boards->buffers.give_back(buffers);
  return reported ? 1 : refuse(L, reported.refusal());
}

// ---- board:submit_all(list)

// Submits them in order; one that is refused does not stop the others. Returns how many changed.
std::size_t submit_each(Board& board, CallBuffers& buffers) {
  return board.submit_all(buffers.submissions,
                          [&buffers](std::size_t index, const Refusal& refusal) {
                            buffers.refused.push_back({index + 1, refusal});
                          });
}

// Submits what was read, pushes the answers and gives the lists back.
int answer_submit_all(const Call& call, const BoardRef& self, CallBuffers& buffers) {
  lua_State* const L = call.L;
  Board& board = board_of(call, self);
  const std::size_t changed = submit_each(board, buffers);
  flush_log(L, *self.boards);

  lua_pushnumber(L, static_cast<double>(changed));
  push_refused(L, buffers.refused);
  self.boards->buffers.give_back(buffers);
  return 2;
}

// board:submit_all(list) -> how many changed, array of { index=, reason= }
int board_submit_all(const Call& call, const BoardRef& self) {
  resolve_board(call, self);
  call.table(1);
  if (CallBuffers& buffers = borrow_buffers(call, self);
      read_plain_items(call, kByPosition, buffers.submissions)) {
    return answer_submit_all(call, self, buffers);
  } else {
    self.boards->buffers.give_back(buffers);  // the slow path orders the items or raises the error
  }
  call.array(1);
  CallBuffers& buffers = borrow_buffers(call, self);
  if (const WrongItem wrong = read_items(call, kByPosition, buffers.submissions); wrong.item != 0) {
    self.boards->buffers.give_back(buffers);
    raise_item(call, wrong);
  }
  return answer_submit_all(call, self, buffers);
}

// ---- removing

// board:remove(player) -> boolean | nil, reason
int board_remove(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  resolve_standings(call, self);
  const std::string_view player = call.string(1);
  const Result<bool> removed = board_of(call, self).remove(player);
  flush_log(L, *self.boards);
  if (!removed) return refuse(L, removed.refusal());
  lua_pushboolean(L, *removed);
  return 1;
}

// board:clear() -> number of removed entries | nil, reason
int board_clear(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  resolve_standings(call, self);
  const Result<std::size_t> entries = board_of(call, self).clear();
  flush_log(L, *self.boards);
  if (!entries) return refuse(L, entries.refusal());
  lua_pushnumber(L, static_cast<double>(*entries));
  return 1;
}

constexpr std::array kBoardWriteMethods = {
    luaL_Reg{"submit", guarded<write_method<"submit", board_submit<WriteMode::submit>>>},
    luaL_Reg{"post", guarded<write_method<"post", board_submit<WriteMode::submit>>>},
    luaL_Reg{"add", guarded<write_method<"add", board_submit<WriteMode::add>>>},
    luaL_Reg{"set", guarded<write_method<"set", board_set>>},
    luaL_Reg{"submit_report", guarded<write_method<"submit_report", board_submit_report>>},
    luaL_Reg{"submit_all", guarded<write_method<"submit_all", board_submit_all>>},
    luaL_Reg{"remove", guarded<write_method<"remove", board_remove>>},
    luaL_Reg{"clear", guarded<write_method<"clear", board_clear>>},
};

}  // namespace

Methods board_write_methods() { return kBoardWriteMethods; }

}  // namespace laurel
