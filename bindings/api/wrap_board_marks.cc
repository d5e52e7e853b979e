// board: the order at a mark, and what changed since.
#include <array>

#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/lua/table.h"

namespace laurel {

namespace {

namespace marks {

Refusal no_marks_of_remote(const RemoteBoardRef& self) {
  return {Code::unsupported, "board \"{}\" is remote: it has no marks", escaped(self.name(), 64)};
}

// ---- board:mark() -> time of the mark | nil, reason

int local_mark(const Call& call, const BoardRef& self) {
  const Result<Time> marked = resolve_board(call, self).mark();
  flush_log(call.L, *self.boards);
  if (!marked) return refuse(call.L, marked.refusal());
  push_number(call.L, seconds_from_time(*marked));
  return 1;
}

int remote_mark(const Call& call, const RemoteBoardRef& self) {
  return refuse(call.L, no_marks_of_remote(self));
}

// ---- board:since(player) -> { rank=, previous_rank=, score=, previous=, mark= } | nil | nil,
// reason

void push_since(lua_State* L, const Board::Since& since, const ScoreColumns* columns) {
  lua_createtable(L, 0, 5);
  set_number(L, "rank", static_cast<double>(since.rank));
  set_optional_number(L, "previous_rank", since.previous_rank);
  set_score(L, "score", since.score, columns);
  if (since.previous) set_score(L, "previous", *since.previous, columns);
  set_optional_time(L, "mark", since.mark);
}

int local_since(lua_State* L) {
  const Call call{L, "since"};
  const auto& self = self_of<BoardRef>(call);
  resolve_standings(call, self);
  const std::string_view player = call.string(1);
  if (self.season == kSegment) {
    return refuse(L, {Code::unsupported, "a {} has no marks: only its board", kind_of_part(self)});
  }
  if (self.season != 0) {
    return refuse(L, {Code::unsupported, "season {} has ended: only the running season has marks",
                      self.season});
  }
  CallBuffers& buffers = borrow_buffers(call, self);
  const Board& board = board_of(call, self);
  buffers.extras.columns = board.columns();
  int answers = 1;
  if (const auto since = board.since(player); !since) {
    answers = refuse(L, since.refusal());
  } else if (*since) {
    push_since(L, **since, buffers.extras.columns.get());
  } else {
    lua_pushnil(L);
  }
  self.boards->buffers.give_back(buffers);
  return answers;
}

int remote_since(lua_State* L) {
  const Call call{L, "since"};
  const RemoteBoardRef& self = remote_self(call);
  call.string(1);
  return refuse(L, no_marks_of_remote(self));
}

}  // namespace marks

constexpr std::array kBoardMarkMethods = {
    kWriteMethodBy<"mark", marks::local_mark, marks::remote_mark>,
    BoardMethod{"since", guarded<marks::local_since>, guarded<marks::remote_since>},
};

}  // namespace

BoardMethods board_mark_methods() { return kBoardMarkMethods; }

}  // namespace laurel
