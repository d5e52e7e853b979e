#include "bindings/handle/with_boards.h"

#include <algorithm>

#include "base/limits.h"
#include "bindings/lua/type_name.h"

namespace laurel {

namespace {

// The number of names. Raises if the table is not an array, or too long.
int length_of(const Call& call, int list, int argument) {
  lua_State* const L = call.L;
  const auto length = static_cast<int>(raw_length(L, list));
  int keys = 0;
  lua_pushnil(L);
  while (lua_next(L, list) != 0) {
    ++keys;
    lua_pop(L, 1);
  }
  if (keys != length) call.bad(argument, "field 'with': array expected, got another table");
  constexpr auto kMost = static_cast<int>(kWithBoardsMax);
  if (length > kMost) call.bad(argument, "field 'with' has %d boards; it takes %d", length, kMost);
  return length;
}

}  // namespace

void check_given_with(const Call& call, RegistryHandle& boards, const ReadOptions& options) {
  lua_State* const L = call.L;
  const Registry& registry = registry_of(call, boards);
  const int argument = options.with - call.self;
  const int length = length_of(call, options.with, argument);
  bool follows_clock = false;
  for (int i = 1; i <= length; ++i) {
    lua_rawgeti(L, options.with, i);
    if (lua_type(L, -1) != LUA_TSTRING) {
      call.bad(argument, "field 'with': item %d: string expected, got %s", i, type_name(L, -1));
    }
    const std::optional<BoardHandle> board = registry.find(Call::string_at(L, -1));
    if (!board) {
      const ShortText quoted = shown(Call::string_at(L, -1));
      call.bad(argument, "field 'with': no local board is called \"%s\"", quoted.text);
    }
    follows_clock = follows_clock || registry.peek(*board)->follows_clock();
    lua_pop(L, 1);
  }
  if (follows_clock) read_clock(call, boards);
}

void copy_with(lua_State* L, const ReadOptions& options, EntryExtras& extras) {
  if (options.with == 0) return;
  extras.with = true;
  // A finalizer may have changed the array since it was checked.
  const std::size_t length = std::min<std::size_t>(raw_length(L, options.with), kWithBoardsMax);
  for (std::size_t i = 1; i <= length; ++i) {
    lua_rawgeti(L, options.with, static_cast<int>(i));
    if (lua_type(L, -1) == LUA_TSTRING) extras.boards.emplace_back(Call::string_at(L, -1));
    lua_pop(L, 1);
  }
}

}  // namespace laurel
