/* embedding_host.c - a game server that embeds LuaJIT and creates its own states: it runs a script
 * as the luajit command does. Linked with the shared LuaJIT it is like most hosts; with the static
 * one, whose symbols it does not export, it cannot load laurel.
 *
 *   embedding_host SCRIPT [ARGUMENT...]
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int main(int count, char **words) {
  lua_State *L = luaL_newstate();
  int failed;

  if (count < 2 || L == NULL) return 2;
  luaL_openlibs(L);
  lua_createtable(L, count, 0);
  for (int i = 1; i < count; ++i) {
    lua_pushstring(L, words[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
  failed = luaL_loadfile(L, words[1]) != 0 || lua_pcall(L, 0, 0, 0) != 0;
  if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return failed;
}
