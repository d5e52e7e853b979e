/* ending_host.c - a host that runs a script and exits with 7 in the given way:
 *
 *   ending_host LIBRARY SCRIPT DIRECTORY FRAMES WAY
 *
 * `never_closed` and `error` leave the state open; the others close it if they return.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kEnded = 7 };

static int state_is_open;

/* Called by the leak checker, which cannot see into a Lua state's memory: what an open state holds
 * would look leaked. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return state_is_open; }

static void *end_process(void *unused) {
  (void)unused;
  exit(kEnded);
}

static int exit_in_another_thread(lua_State *L) {
  pthread_t thread;

  (void)L;
  if (pthread_create(&thread, NULL, end_process, NULL) == 0) pthread_detach(thread);
  return 0;
}

int main(int count, char **words) {
  lua_State *L = luaL_newstate();
  int failed;

  state_is_open = 1;
  if (count != 6 || L == NULL) return 2;
  luaL_openlibs(L);
  lua_register(L, "exit_in_another_thread", exit_in_another_thread);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    lua_pushstring(L, words[i]);
    lua_rawseti(L, -2, i);
  }
  lua_setglobal(L, "arg");
  failed = luaL_loadfile(L, words[2]) != 0 || lua_pcall(L, 0, 0, 0) != 0;
  if (failed != (strcmp(words[5], "error") == 0)) return 1;
  if (failed || strcmp(words[5], "never_closed") == 0) return kEnded;
  lua_close(L);
  state_is_open = 0;
  return kEnded;
}
