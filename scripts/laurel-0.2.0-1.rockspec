-- For LuaRocks: the module for the Lua that LuaRocks installs for, and its Lua files.
--
--   luarocks make scripts/laurel-0.2.0-1.rockspec                      in the source folder; needs no network
--   luarocks --lua-version 5.4 make scripts/laurel-0.2.0-1.rockspec    for another Lua, beside it
--
-- CMake and the libraries of the README's list must be there. The programs, headers and files for
-- pkg-config come with `cmake --install` or Debian's packages.
rockspec_format = "3.0"
package = "laurel"
version = "0.2.0-1"
source = { url = "git+https://laurel.example.org/laurel.git", tag = "v0.2.0" }
description = {
  summary = "Leaderboards inside the game server, scripted in Lua",
  detailed = [[
    A library that a game server loads to keep leaderboards. Ranks take less than a microsecond,
    boards may be kept on the disk, rules are Lua files that reload while the server runs, and
    overlays see the top change over ENet.]],
  license = "MIT",
  homepage = "https://laurel.example.org",
}
supported_platforms = { "linux" }
dependencies = { "lua >= 5.1, < 5.5" }
build = {
  type = "cmake",
  variables = {
    LAUREL_MODULE_ONLY = "ON",
    LAUREL_LUA_INCLUDE_DIR = "$(LUA_INCDIR)",
    -- LuaRocks takes the module and the Lua files from these, and puts them where `require` looks.
    -- With the prefix alone they would stay in the rock's own folder.
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    LAUREL_MODULE_DIR = "$(LIBDIR)",
    LAUREL_LUA_DIR = "$(LUADIR)",
  },
}
