// board: info, tostring and equality of a local board.
#include <array>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/table.h"
#include "bindings/values/push_spec.h"

namespace laurel {

namespace {

struct Facts {
  std::size_t size;
  Time created;
  Season season;
  std::optional<Time> resets_at;
};

Facts read_board(const Registry& registry, const Board& board, CallBuffers& buffers) {
  copy_fields(board.spec(), buffers.fields);
  const std::string& rule = board.spec().rule;
  if (Rules* rules = registry.rules(); rules != nullptr && !rule.empty()) {
    buffers.text = rules->version(rules->open(rule));
  }
  return {board.size(), board.created(), board.season(), board.resets_at()};
}

Facts read_season(const Board& board, const ArchivedSeason& season, CallBuffers& buffers) {
  copy_fields(season.spec(), buffers.fields);
  return {season.size(), board.created(), season.season(), std::nullopt};
}

// Returns nothing if the season has just been trimmed.
std::optional<Facts> read_facts(const Registry& registry, const Board& board, std::uint64_t season,
                                CallBuffers& buffers) {
  if (season == 0) return read_board(registry, board, buffers);
  const ArchivedSeason* archived = board.archived(season);
  if (archived == nullptr) return std::nullopt;
  return read_season(board, *archived, buffers);
}

// board:info() -> table
int board_info(lua_State* L) {
  const Call call{L, "info"};
  const BoardRef& self = board_self(call);
  CallBuffers& buffers = borrow_buffers(call, self);
  const std::optional<Facts> facts =
      read_facts(*self.boards->registry, board_of(call, self), self.season, buffers);
  if (!facts) {
    self.boards->buffers.give_back(buffers);
    raise_not_kept(L, self);
  }

  lua_newtable(L);
  set_fields(L, buffers.fields);
  set_text(L, "name", self.name());
  set_number(L, "season", static_cast<double>(facts->season.number));
  set_number(L, "size", static_cast<double>(facts->size));
  set_time(L, "created", facts->created);
  set_time(L, "started", facts->season.started);
  set_optional_time(L, "ended", facts->season.ended);
  set_optional_time(L, "resets_at", facts->resets_at);
  if (!buffers.text.empty()) set_text(L, "rule_version", buffers.text);
  self.boards->buffers.give_back(buffers);
  flush_log(L, *self.boards);
  return 1;
}

int board_to_string(lua_State* L) {
  const Call call{L, "tostring"};
  const BoardRef& self = self_of<BoardRef>(call);
  if (!self.boards->open()) {
    lua_pushliteral(L, "board: closed");
    return 1;
  }
  const ShortText name = shown(self.name());
  const bool exists = find_standings(self) != nullptr;
  if (self.season == 0) {
    lua_pushfstring(L, exists ? "board: %s" : "board: %s (dropped)", name.text);
  } else {
    lua_pushfstring(L, exists ? "board: %s (season %f)" : "board: %s (season %f, dropped)",
                    name.text, static_cast<double>(self.season));
  }
  return 1;
}

// Two handles are equal if they name the same board, not one created again under its name, and the
// same past season of it, or both the running season.
int board_equal(lua_State* L) {
  const auto* a = find_userdata<BoardRef>(L, 1);
  const auto* b = find_userdata<BoardRef>(L, 2);
  const bool same = a != nullptr && b != nullptr && a->boards == b->boards &&
                    a->handle == b->handle && a->season == b->season;
  lua_pushboolean(L, same);
  return 1;
}

// board:remote() -> nil: the board is local
int board_remote(lua_State* L) {
  board_self(Call{L, "remote"});
  lua_pushnil(L);
  return 1;
}

constexpr std::array kBoardMethods = {
    luaL_Reg{"info", guarded<board_info>},
    luaL_Reg{"remote", guarded<board_remote>},
};
constexpr std::array kBoardMetamethods = {
    luaL_Reg{"__tostring", guarded<board_to_string>},
    luaL_Reg{"__eq", guarded<board_equal>},
};

}  // namespace

Methods board_methods() { return kBoardMethods; }
Methods board_metamethods() { return kBoardMetamethods; }

}  // namespace laurel
