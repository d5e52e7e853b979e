// board: handing results in.
#include <array>

#include "bindings/boards_box.h"
#include "bindings/push_entry.h"
#include "bindings/wraps.h"

namespace laurel {

namespace {

// (player, score [, data [, at]]), which most of these functions take.
Submission submission_of(const Call& call) {
  return {.player = call.string(1),
          .score = call.number(2),
          .data = call.optional_string(3),
          .at = call.optional_number(4)};
}

// score, changed | nil, reason
int answer(lua_State* L, const Result<Outcome>& outcome) {
  if (!outcome) return refuse(L, outcome.refusal());
  lua_pushnumber(L, outcome->score);
  lua_pushboolean(L, outcome->changed);
  return 2;
}

// board:submit(player, score [, data [, at]]) -> score, changed | nil, reason
int submit(lua_State* L) {
  const Call call{L, "submit"};
  const BoardRef& self = board_self(call);
  const Submission submission = submission_of(call);
  read_clock(call, *self.box);
  const Result<Outcome> outcome = board_of(call, self).submit(Act::submit, submission);
  settle(L, *self.box);
  return answer(L, outcome);
}

// board:add(player, delta [, data [, at]]) -> score, changed | nil, reason
int add(lua_State* L) {
  const Call call{L, "add"};
  const BoardRef& self = board_self(call);
  const Submission submission = submission_of(call);
  read_clock(call, *self.box);
  const Result<Outcome> outcome = board_of(call, self).submit(Act::add, submission);
  settle(L, *self.box);
  return answer(L, outcome);
}

// board:set(player, score [, data [, at]]) -> score, changed | nil, reason
int set(lua_State* L) {
  const Call call{L, "set"};
  const BoardRef& self = board_self(call);
  const Submission submission = submission_of(call);
  read_clock(call, *self.box);
  const Result<Outcome> outcome = board_of(call, self).set(submission);
  settle(L, *self.box);
  return answer(L, outcome);
}

Status report(Board& board, const Submission& submission, Change& change) {
  Result<Change> reported = board.submit_report(submission);
  if (!reported) return reported.refusal();
  change = std::move(*reported);
  return Done{};
}

// board:submit_report(player, score [, data [, at]]) -> change | nil, reason
int submit_report(lua_State* L) {
  const Call call{L, "submit_report"};
  const BoardRef& self = board_self(call);
  const Submission submission = submission_of(call);
  read_clock(call, *self.box);
  Lists& lists = borrow_lists(call, self);
  const Status reported = report(board_of(call, self), submission, lists.change);
  settle(L, *self.box);
  if (reported) push_change(L, lists.change);
  self.box->lists.give_back(lists);
  return reported ? 1 : refuse(L, reported.refusal());
}

// ---- board:submit_all(list)

constexpr int kParts = 4;
struct Part {
  const char* name;
  int type;
  bool optional;
};
constexpr std::array<Part, kParts> kItem = {{{"player", LUA_TSTRING, false},
                                             {"score", LUA_TNUMBER, false},
                                             {"data", LUA_TSTRING, true},
                                             {"at", LUA_TNUMBER, true}}};

// What is wrong with an item, as the complaint words it.
struct WrongItem {
  int item = 0;                // 0: nothing is
  const char* part = nullptr;  // null: it is no table
  const char* expected = "table";
  const char* got = nullptr;
};

// Takes the item on top of the stack apart, into slots above it.
WrongItem read_item(lua_State* L, int index, Submission& out) {
  const int item = lua_gettop(L);
  if (!lua_istable(L, item)) return {.item = index, .got = luaL_typename(L, item)};
  for (int part = 1; part <= kParts; ++part) {
    const Part& expected = kItem[static_cast<std::size_t>(part) - 1];
    lua_rawgeti(L, item, part);
    const int type = lua_type(L, -1);
    if (type != expected.type && !(expected.optional && type == LUA_TNIL)) {
      return {.item = index,
              .part = expected.name,
              .expected = lua_typename(L, expected.type),
              .got = lua_typename(L, type)};
    }
  }
  out.player = Call::string_at(L, item + 1);
  out.score = lua_tonumber(L, item + 2);
  if (!lua_isnil(L, item + 3)) out.data = Call::string_at(L, item + 3);
  if (!lua_isnil(L, item + 4)) out.at = lua_tonumber(L, item + 4);
  return {};
}

// Reads argument 1 up to the first wrong item. What the items name lives as long as the list, which
// nobody changes while nothing of Lua runs.
WrongItem read_items(const Call& call, std::vector<Submission>& out) {
  lua_State* L = call.L;
  const int length = static_cast<int>(lua_objlen(L, call.index(1)));
  for (int i = 1; i <= length; ++i) {
    const int top = lua_gettop(L);
    lua_rawgeti(L, call.index(1), i);
    const WrongItem wrong = read_item(L, i, out.emplace_back());
    lua_settop(L, top);
    if (wrong.item != 0) return wrong;
  }
  return {};
}

[[noreturn]] void raise_item(const Call& call, const WrongItem& wrong) {
  if (wrong.part == nullptr) {
    call.bad(1, "item %d: %s expected, got %s", wrong.item, wrong.expected, wrong.got);
  }
  call.bad(1, "item %d: %s: %s expected, got %s", wrong.item, wrong.part, wrong.expected,
           wrong.got);
}

// In order, each for itself; how many changed.
std::size_t submit_each(Board& board, Lists& lists) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < lists.submissions.size(); ++i) {
    const Result<Outcome> outcome = board.submit(Act::submit, lists.submissions[i]);
    if (!outcome) {
      lists.refused.push_back({i + 1, outcome.refusal()});
    } else if (outcome->changed) {
      ++changed;
    }
  }
  return changed;
}

void push_refused(lua_State* L, const std::vector<RefusedItem>& refused) {
  lua_createtable(L, static_cast<int>(refused.size()), 0);
  int index = 0;
  for (const RefusedItem& item : refused) {
    lua_createtable(L, 0, 2);
    lua_pushnumber(L, static_cast<double>(item.index));
    lua_setfield(L, -2, "index");
    push(L, item.refusal.text());
    lua_setfield(L, -2, "reason");
    lua_rawseti(L, -2, ++index);
  }
}

// board:submit_all(list) -> how many changed, array of { index=, reason= }
int submit_all(lua_State* L) {
  const Call call{L, "submit_all"};
  const BoardRef& self = board_self(call);
  call.array(1);
  read_clock(call, *self.box);
  Lists& lists = borrow_lists(call, self);
  if (const WrongItem wrong = read_items(call, lists.submissions); wrong.item != 0) {
    self.box->lists.give_back(lists);
    raise_item(call, wrong);
  }
  Board& board = board_of(call, self);
  const std::size_t changed = submit_each(board, lists);
  settle(L, *self.box);

  lua_pushnumber(L, static_cast<double>(changed));
  push_refused(L, lists.refused);
  self.box->lists.give_back(lists);
  return 2;
}

// ---- taking off

// board:remove(player) -> boolean | nil, reason
int remove(lua_State* L) {
  const Call call{L, "remove"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const Result<bool> removed = board_of(call, self).remove(player);
  settle(L, *self.box);
  if (!removed) return refuse(L, removed.refusal());
  lua_pushboolean(L, *removed);
  return 1;
}

// board:clear() -> how many entries went
int clear(lua_State* L) {
  const Call call{L, "clear"};
  const BoardRef& self = board_self(call);
  const std::size_t entries = board_of(call, self).clear();
  settle(L, *self.box);
  lua_pushnumber(L, static_cast<double>(entries));
  return 1;
}

constexpr std::array kMethods = {
    luaL_Reg{"submit", guarded<submit>},
    luaL_Reg{"add", guarded<add>},
    luaL_Reg{"set", guarded<set>},
    luaL_Reg{"submit_report", guarded<submit_report>},
    luaL_Reg{"submit_all", guarded<submit_all>},
    luaL_Reg{"remove", guarded<remove>},
    luaL_Reg{"clear", guarded<clear>},
};

}  // namespace

Methods board_write_methods() { return kMethods; }

}  // namespace laurel
