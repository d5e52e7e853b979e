// board: methods that only some engines support.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/values/push_entry.h"
#include "bindings/values/read_items.h"
#include "board/validate.h"

namespace laurel {

namespace {

// board:lowest() -> score to beat | nil | nil, reason
int board_lowest(lua_State* L) {
  const Call call{L, "lowest"};
  const BoardRef& self = board_self(call);
  const Result<std::optional<double>> lowest = standings_of(call, self).lowest();
  if (!lowest) return refuse(L, lowest.refusal());
  push_optional(L, *lowest);
  return 1;
}

// ---- board:merge(entries)

// Converts the results to entries; stops at the first invalid one.
Status take_entries(const std::vector<Submission>& results, Entries& out) {
  for (const Submission& result : results) {
    if (Status valid = check_submission(result); !valid) return valid;
    Entry& entry = out.add();
    entry.player = result.player;
    entry.score = result.score;
    entry.data = result.data;
    entry.at = time_from_seconds(*result.at).value_or(0);  // validated above
  }
  return Done{};
}

Result<std::size_t> merge_into(Board& board, CallBuffers& buffers) {
  if (const Status taken = take_entries(buffers.submissions, buffers.entries); !taken) {
    return taken.refusal();
  }
  return board.merge(buffers.entries);
}

// board:merge(entries) -> how many changed | nil, reason
int board_merge(const Call& call, const BoardRef& self) {
  lua_State* const L = call.L;
  resolve_board(call, self);
  call.array(1);
  const int names = push_part_names(L);
  CallBuffers& buffers = borrow_buffers(call, self);
  if (const WrongItem wrong = read_items(call, names, buffers.submissions); wrong.item != 0) {
    self.boards->buffers.give_back(buffers);
    raise_item(call, wrong);
  }
  const Result<std::size_t> changed = merge_into(board_of(call, self), buffers);
  self.boards->buffers.give_back(buffers);
  flush_log(L, *self.boards);
  if (!changed) return refuse(L, changed.refusal());
  lua_pushnumber(L, static_cast<double>(*changed));
  return 1;
}

// ---- keys, pages, shards

// Copies the player's key into lists.text. Returns false if the player has none.
Result<bool> read_key(const Standings& standings, std::string_view player, CallBuffers& buffers) {
  Result<std::optional<std::string>> key = standings.key(player);
  if (!key) return key.refusal();
  buffers.text = std::move(*key).value_or("");
  return !buffers.text.empty();
}

// board:key(player) -> string | nil | nil, reason
int board_key(lua_State* L) {
  const Call call{L, "key"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  CallBuffers& buffers = borrow_buffers(call, self);
  const Result<bool> found = read_key(standings_of(call, self, buffers), player, buffers);
  if (found && *found) {
    push(L, buffers.text);
  } else {
    lua_pushnil(L);
  }
  self.boards->buffers.give_back(buffers);
  return found ? 1 : refuse(L, found.refusal());
}

// board:layout() -> { layers=, manifests=, entry_sets=, lowest= } | nil, reason
int board_layout(lua_State* L) {
  const Call call{L, "layout"};
  const BoardRef& self = board_self(call);
  const Result<Standings::Layout> layout = standings_of(call, self).layout();
  if (!layout) return refuse(L, layout.refusal());
  lua_createtable(L, 0, 4);
  const std::pair<const char*, std::optional<double>> fields[] = {
      {"layers", static_cast<double>(layout->pages.layers)},
      {"manifests", static_cast<double>(layout->pages.manifests)},
      {"entry_sets", static_cast<double>(layout->pages.entry_sets)},
      {"lowest", layout->lowest},
  };
  for (const auto& [name, value] : fields) {
    push_optional(L, value);
    lua_setfield(L, -2, name);
  }
  return 1;
}

// board:fetch_size(n, confidence) -> number | nil, reason
int board_fetch_size(lua_State* L) {
  const Call call{L, "fetch_size"};
  const BoardRef& self = board_self(call);
  const std::size_t n = call.count(1);
  const double confidence = call.number(2);
  const Result<std::size_t> size = standings_of(call, self).fetch_size(n, confidence);
  if (!size) return refuse(L, size.refusal());
  lua_pushnumber(L, static_cast<double>(*size));
  return 1;
}

constexpr std::array kBoardEngineMethods = {
    luaL_Reg{"lowest", guarded<board_lowest>},
    luaL_Reg{"merge", guarded<write_method<"merge", board_merge>>},
    luaL_Reg{"key", guarded<board_key>},
    luaL_Reg{"layout", guarded<board_layout>},
    luaL_Reg{"fetch_size", guarded<board_fetch_size>},
};

}  // namespace

Methods board_engine_methods() { return kBoardEngineMethods; }

}  // namespace laurel
