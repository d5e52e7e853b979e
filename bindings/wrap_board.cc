// board: what it is, and how it shows itself.
#include <array>

#include "bindings/boards_box.h"
#include "bindings/wraps.h"

namespace laurel {

namespace {

// Fields of a spec with their values copied; nothing of Lua, since a callback walks over them.
void copy_fields(const Spec& spec, std::vector<ShownField>& out) {
  each_field(spec, [&out](std::string_view field, const FieldValue& value) {
    ShownField shown_field{std::string(field), false};
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      shown_field.value = std::string(*text);
    } else if (const auto* number = std::get_if<double>(&value)) {
      shown_field.value = *number;
    } else {
      shown_field.value = std::get<bool>(value);
    }
    out.push_back(std::move(shown_field));
  });
}

void push_value(lua_State* L, const ShownField& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    push(L, *text);
  } else if (const auto* number = std::get_if<double>(&field.value)) {
    lua_pushnumber(L, *number);
  } else {
    lua_pushboolean(L, std::get<bool>(field.value));
  }
}

struct Facts {
  std::size_t size;
  Time created;
};

Facts read_facts(const Registry& registry, const Board& board, Lists& lists) {
  copy_fields(board.spec(), lists.fields);
  const std::string& rule = board.spec().rule;
  if (Rules* rules = registry.rules(); rules != nullptr && !rule.empty()) {
    lists.text = rules->version(rules->open(rule));
  }
  return {board.size(), board.created()};
}

// board:info() -> table
int info(lua_State* L) {
  const Call call{L, "info"};
  const BoardRef& self = board_self(call);
  Lists& lists = borrow_lists(call, self);
  const Facts facts = read_facts(*self.box->registry, board_of(call, self), lists);

  lua_newtable(L);
  for (const ShownField& field : lists.fields) {
    push_value(L, field);
    lua_setfield(L, -2, field.name.c_str());
  }
  push(L, self.name());
  lua_setfield(L, -2, "name");
  lua_pushnumber(L, 1);
  lua_setfield(L, -2, "season");
  lua_pushnumber(L, static_cast<double>(facts.size));
  lua_setfield(L, -2, "size");
  lua_pushnumber(L, seconds_from_time(facts.created));
  lua_setfield(L, -2, "created");
  lua_pushnumber(L, seconds_from_time(facts.created));
  lua_setfield(L, -2, "started");
  if (!lists.text.empty()) {
    push(L, lists.text);
    lua_setfield(L, -2, "rule_version");
  }
  self.box->lists.give_back(lists);
  settle(L, *self.box);
  return 1;
}

int to_string(lua_State* L) {
  const Call call{L, "tostring"};
  const BoardRef& self = self_of<BoardRef>(call);
  if (!self.box->open()) {
    lua_pushliteral(L, "board: closed");
    return 1;
  }
  const ShortText name = shown(self.name());
  const bool there = self.box->registry->get(self.handle) != nullptr;
  lua_pushfstring(L, there ? "board: %s" : "board: %s (dropped)", name.text);
  return 1;
}

// Two handles are equal when they name the same board, and that incarnation of it.
int equal(lua_State* L) {
  const auto* a = find_userdata<BoardRef>(L, 1);
  const auto* b = find_userdata<BoardRef>(L, 2);
  const bool same = a != nullptr && b != nullptr && a->box == b->box && a->handle == b->handle;
  lua_pushboolean(L, same);
  return 1;
}

constexpr std::array kMethods = {luaL_Reg{"info", guarded<info>}};
constexpr std::array kMetamethods = {
    luaL_Reg{"__tostring", guarded<to_string>},
    luaL_Reg{"__eq", guarded<equal>},
};

}  // namespace

Methods board_methods() { return kMethods; }
Methods board_metamethods() { return kMetamethods; }

}  // namespace laurel
