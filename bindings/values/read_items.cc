#include "bindings/values/read_items.h"

#include <array>

#include "bindings/lua/type_name.h"
#include "bindings/values/column_values.h"

namespace laurel {

namespace {

constexpr int kParts = 5;
constexpr int kPartsByName = 4;
constexpr int kScorePart = 2;
struct Part {
  const char* name;
  int type;
  bool optional_by_position;
  bool optional_by_name;
};
// An entry always has a time; a result without one gets the time of its submission.
constexpr std::array<Part, kParts> kItem = {{{"player", LUA_TSTRING, false, false},
                                             {"score", LUA_TNUMBER, false, false},
                                             {"data", LUA_TSTRING, true, true},
                                             {"at", LUA_TNUMBER, true, false},
                                             {"id", LUA_TSTRING, true, true}}};

inline void push_part(lua_State* L, int item, int names, int part) {
  if (names == kByPosition) {
    lua_rawgeti(L, item, part);
  } else {
    lua_pushvalue(L, names + part - 1);
    lua_rawget(L, item);
  }
}

// Reads the score on top of the stack, which has columns. Outlined: most boards have none.
[[gnu::noinline, gnu::cold]] bool read_column_score(const Call& call, CallBuffers& buffers,
                                                    Submission& out) {
  ColumnValues values;
  ShortText problem;
  if (!read_values(call.L, lua_gettop(call.L), *call.columns, LaterColumns::required, values,
                   problem)) {
    return false;
  }
  out.set_values(*call.columns, values);
  if (out.columns != nullptr) out.columns = &buffers.column_values.emplace_back(values);
  return true;
}

// Reads the item on top of the stack; pushes its parts above it. The number of parts is a constant,
// so that the compiler unrolls the loop.
template <bool by_position>
WrongItem read_parts(const Call& call, int index, int names, CallBuffers& buffers) {
  lua_State* const L = call.L;
  Submission& out = buffers.submissions.emplace_back();
  const int item = lua_gettop(L);
  if (!lua_istable(L, item)) return {.item = index, .got = type_name(L, item)};
  constexpr int parts = by_position ? kParts : kPartsByName;
  std::array<bool, kParts> given{};
  for (int part = 1; part <= parts; ++part) {
    const Part& expected = kItem[static_cast<std::size_t>(part) - 1];
    push_part(L, item, by_position ? kByPosition : names, part);
    const int type = lua_type(L, -1);
    given[static_cast<std::size_t>(part) - 1] = type != LUA_TNIL;
    const bool optional = by_position ? expected.optional_by_position : expected.optional_by_name;
    if (part == kScorePart && call.columns != nullptr) {
      if (!read_column_score(call, buffers, out)) return {.item = index, .part = expected.name};
    } else if (type != expected.type && !(optional && type == LUA_TNIL)) {
      return {.item = index,
              .part = expected.name,
              .expected = lua_typename(L, expected.type),
              .got = type_name(L, -1)};
    }
  }
  out.player = Call::string_at(L, item + 1);
  if (call.columns == nullptr) out.score = score_at(L, item + 2);
  if (given[2]) out.data = Call::string_at(L, item + 3);
  if (given[3]) out.at = lua_tonumber(L, item + 4);
  if constexpr (by_position) {
    if (given[4]) out.id = Call::string_at(L, item + 5);
  }
  return {};
}

WrongItem read_item(const Call& call, int index, int names, CallBuffers& out) {
  return names == kByPosition ? read_parts<true>(call, index, names, out)
                              : read_parts<false>(call, index, names, out);
}

}  // namespace

int push_part_names(lua_State* L) {
  for (int part = 0; part < kPartsByName; ++part) {
    lua_pushstring(L, kItem[static_cast<std::size_t>(part)].name);
  }
  return lua_gettop(L) - kPartsByName + 1;
}

bool read_plain_items(const Call& call, int names, CallBuffers& out) {
  lua_State* L = call.L;
  const int top = lua_gettop(L);
  int item = 0;
  lua_pushnil(L);
  while (lua_next(L, call.index(1)) != 0) {
    ++item;
    if (lua_type(L, top + 1) != LUA_TNUMBER || lua_tonumber(L, top + 1) != item ||
        read_item(call, item, names, out).item != 0) {
      lua_settop(L, top);
      return false;
    }
    lua_settop(L, top + 1);
  }
  return true;
}

WrongItem read_items(const Call& call, int names, CallBuffers& out) {
  lua_State* L = call.L;
  const int length = static_cast<int>(raw_length(L, call.index(1)));
  for (int i = 1; i <= length; ++i) {
    const int top = lua_gettop(L);
    lua_rawgeti(L, call.index(1), i);
    const WrongItem wrong = read_item(call, i, names, out);
    lua_settop(L, top);
    if (wrong.item != 0) return wrong;
  }
  return {};
}

void raise_item(const Call& call, int names, const WrongItem& wrong) {
  if (wrong.part == nullptr) {
    call.bad(1, "item %d: %s expected, got %s", wrong.item, wrong.expected, wrong.got);
  }
  if (wrong.got == nullptr && call.columns != nullptr) {
    lua_rawgeti(call.L, call.index(1), wrong.item);
    push_part(call.L, lua_gettop(call.L), names, kScorePart);
    ColumnValues values;
    ShortText why{};
    read_values(call.L, lua_gettop(call.L), *call.columns, LaterColumns::required, values, why);
    call.bad(1, "item %d: %s: %s", wrong.item, wrong.part, why.text);
  }
  call.bad(1, "item %d: %s: %s expected, got %s", wrong.item, wrong.part, wrong.expected,
           wrong.got);
}

}  // namespace laurel
