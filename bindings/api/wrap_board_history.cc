// board: the results that are kept of a player, and taking them back.
#include <array>
#include <limits>

#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/lua/table.h"

namespace laurel {

namespace {

Refusal not_kept_in_remote(const RemoteBoardRef& self) {
  return {Code::unsupported, "board \"{}\" is remote: no results are kept of it",
          escaped(self.name(), 64)};
}

// ---- board:history(player [, limit]) -> array of results, newest first

constexpr std::array<const char*, 4> kBy = {"submit", "add", "set", "join"};

struct HistoryArguments {
  std::string_view player;
  std::size_t limit = std::numeric_limits<std::size_t>::max();

  void read(const Call& call) {
    player = call.string(1);
    if (!call.absent(2)) limit = call.count(2);
  }
};

void push_result(lua_State* L, const PastResult& result, const ScoreColumns* columns) {
  lua_createtable(L, 0, 6);
  lua_pushstring(L, kBy[static_cast<std::size_t>(result.by)]);
  lua_setfield(L, -2, "by");
  if (result.differences) {
    push_values(L, *result.differences);
    lua_setfield(L, -2, "score");
  } else {
    set_score(L, "score", result.score, columns);
  }
  set_score(L, "held", result.held, columns);
  set_time(L, "at", result.at);
  if (result.data) set_text(L, "data", *result.data);
  if (!result.rule_version.empty()) set_text(L, "rule_version", result.rule_version);
}

// A past season keeps none.
int local_history(lua_State* L) {
  const Call call{L, "history"};
  const auto& self = self_of<BoardRef>(call);
  resolve_standings(call, self);
  HistoryArguments what;
  what.read(call);
  CallBuffers& buffers = borrow_buffers(call, self);
  const Board& board = board_of(call, self);
  if (!self.is_past()) buffers.results = board.history(what.player, what.limit);
  buffers.extras.columns = board.columns();
  push_array(L, buffers.results,
             [columns = buffers.extras.columns.get()](lua_State* state, const PastResult& result) {
               push_result(state, result, columns);
             });
  self.boards->buffers.give_back(buffers);
  return 1;
}

int remote_history(lua_State* L) {
  const Call call{L, "history"};
  const RemoteBoardRef& self = remote_self(call);
  HistoryArguments what;
  what.read(call);
  return refuse(L, not_kept_in_remote(self));
}

// ---- board:void(player, at) -> score now held | nil, whether the entry changed | nil, reason

struct VoidArguments {
  std::string_view player;
  double at = 0;

  void read(const Call& call) {
    player = call.string(1);
    at = call.number(2);
  }
  Result<Outcome> local(Board& board) const { return board.take_back(player, at); }
};

int local_void(const Call& called, const BoardRef& self) {
  Call call = called;
  Board& board = resolve_board(call, self);
  call.columns = board.columns().get();
  VoidArguments what;
  what.read(call);
  const Result<Outcome> answer = what.local(board);
  return answer_write(call, self, answer);
}

int remote_void(const Call& call, const RemoteBoardRef& self) {
  VoidArguments what;
  what.read(call);
  return refuse(call.L, not_kept_in_remote(self));
}

constexpr std::array kBoardHistoryMethods = {
    BoardMethod{"history", guarded<local_history>, guarded<remote_history>},
    kWriteMethodBy<"void", local_void, remote_void>,
};

}  // namespace

BoardMethods board_history_methods() { return kBoardHistoryMethods; }

}  // namespace laurel
