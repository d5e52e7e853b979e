/* server_host.c - a process that runs a script with the words behind it:
 *
 *   server_host SCRIPT WORD...
 *
 * Ends with 0 when the script returned and its state is closed.
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
  if (failed) fprintf(stderr, "%s: %s\n", words[1], lua_tostring(L, -1));
  lua_close(L);
  return failed;
}
