#include "bindings/values/entry_tables.h"

#include <algorithm>
#include <string_view>

#include "bindings/lua/userdata.h"
#include "bindings/lua/versions.h"

namespace laurel {

namespace {

constexpr int kFieldsMax = static_cast<int>(kEntryFieldNames.size());
// The values, the names, and what making one value needs.
constexpr int kSlotsNeeded = 2 * kFieldsMax + 8;

// Text of bounded size: it needs no destructor.
struct EntryCode {
  char text[512];
  std::size_t size = 0;

  void add(std::string_view more) {
    std::copy_n(more.data(), more.size(), text + size);
    size += more.size();
  }
};

template <typename Visit>
void each_field(EntryShape shape, Visit visit) {
  for (unsigned field = 0; field < kEntryFieldNames.size(); ++field) {
    if (shape.has(static_cast<EntryField>(field))) visit(kEntryFieldNames[field]);
  }
}

// return function(player, score) return {player=player,score=score} end
EntryCode code_of(EntryShape shape) {
  EntryCode code;
  code.add("return function(");
  const char* comma = "";
  each_field(shape, [&](std::string_view name) {
    code.add(comma);
    code.add(name);
    comma = ",";
  });
  code.add(") return {");
  each_field(shape, [&](std::string_view name) {
    code.add(name);
    code.add("=");
    code.add(name);
    code.add(",");
  });
  code.add("} end");
  return code;
}

// Pushes the function that makes tables of the shape.
void push_maker(lua_State* L, EntryShape shape) {
  push_module_table(L);
  lua_rawgeti(L, -1, kEntryMakersSlot);
  lua_rawgeti(L, -1, shape.number());
  if (lua_isnil(L, -1)) {
    const EntryCode code = code_of(shape);
    if (load_text(L, {code.text, code.size}, "=laurel") != 0) lua_error(L);
    lua_call(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -4, shape.number());
    lua_replace(L, -2);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

}  // namespace

// Without a hook the constructor pushes one value, else the names of the fields.
EntryTables::EntryTables(lua_State* L, EntryShape shape)
    : L_(L), made_with_(lua_gettop(L) + 1), hooked_(lua_gethookmask(L) != 0) {
  luaL_checkstack(L, kSlotsNeeded, "for entries");
  each_field(shape, [this](const char* name) {
    if (hooked_) lua_pushstring(L_, name);
    ++fields_;
  });
  if (!hooked_) push_maker(L, shape);
}

void EntryTables::begin() {
  if (hooked_) {
    lua_createtable(L_, 0, fields_);
  } else {
    lua_pushvalue(L_, made_with_);
  }
}

void EntryTables::finish() {
  if (!hooked_) {
    lua_call(L_, fields_, 1);
    return;
  }
  const int table = lua_gettop(L_) - fields_;
  for (int field = fields_ - 1; field >= 0; --field) {
    lua_pushvalue(L_, made_with_ + field);
    lua_insert(L_, -2);
    lua_rawset(L_, table);
  }
}

void EntryTables::leave_top() {
  lua_replace(L_, made_with_);
  lua_settop(L_, made_with_);
}

}  // namespace laurel
