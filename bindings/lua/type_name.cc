#include "bindings/lua/type_name.h"

#include <array>
#include <cstddef>

#include "bindings/lua/versions.h"

namespace laurel {

const char kLibrary = 0;

namespace {

constexpr std::array<const char*, kTypes + 1> kTypeNames = {"",     "boards", "board",
                                                            "live", "client", "board"};

}  // namespace

const char* name_of(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

const char* type_name(lua_State* L, int index) {
  if (lua_type(L, index) == LUA_TUSERDATA && raw_length(L, index) >= sizeof(Userdata)) {
    const auto* userdata = static_cast<const Userdata*>(lua_touserdata(L, index));
    if (userdata->library == &kLibrary) return name_of(userdata->type);
  }
  return luaL_typename(L, index);
}

}  // namespace laurel
