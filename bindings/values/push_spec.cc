#include "bindings/values/push_spec.h"

#include <string>
#include <string_view>
#include <utility>

#include "bindings/lua/args.h"
#include "board/spec/spec_change.h"

namespace laurel {

namespace {

void push_value(lua_State* L, const ShownField& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    push(L, *text);
  } else if (const auto* number = std::get_if<double>(&field.value)) {
    lua_pushnumber(L, *number);
  } else {
    lua_pushboolean(L, std::get<bool>(field.value));
  }
}

// Pushes the table in a field of the table on top of the stack; makes it if it does not exist.
void push_nested(lua_State* L, const char* field) {
  lua_getfield(L, -1, field);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, field);
}

}  // namespace

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

void set_fields(lua_State* L, const std::vector<ShownField>& fields) {
  constexpr std::string_view kWindow = "window.";
  for (const ShownField& field : fields) {
    const bool nested = field.name.starts_with(kWindow);
    if (nested) push_nested(L, "window");
    push_value(L, field);
    lua_setfield(L, -2, field.name.c_str() + (nested ? kWindow.size() : 0));
    if (nested) lua_pop(L, 1);
  }
}

}  // namespace laurel
