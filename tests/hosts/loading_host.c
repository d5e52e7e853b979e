/* loading_host.c - a game server with a Lua of its own that calls laurel_load. Either laurel loads
 * and hosts a script on that Lua, or it is refused and the server's Lua still works.
 * CMakeLists.txt builds one for each Lua; with NEW_STATE_ONLY it exports only one function of Lua.
 *
 *   loading_host FILE              laurel must load
 *   loading_host FILE SENTENCE     laurel must be refused with that message
 */
#define LAUREL_LOADER
#include <laurel/laurel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef NEW_STATE_ONLY
void lua_newstate(void) {}
static int own_lua_works(void) { return 1; }
#else
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static int own_lua_works(void) {
  lua_State *L = luaL_newstate();
  int works = 0;
  if (L == NULL) return 0;
  luaL_openlibs(L);
  works = luaL_dostring(L, "return ('x'):rep(3)") == 0 && strcmp(lua_tostring(L, -1), "xxx") == 0;
  lua_close(L);
  return works;
}
#endif

static void on_emit(void *context, const char *event, const laurel_value *values, size_t count) {
  (void)event;
  if (count == 1 && values[0].type == LAUREL_NUMBER) *(double *)context = values[0].number;
}

/* 1 if a hosted script submitted a result and emitted its score. */
static int hosts_scripts(const laurel_api *laurel) {
  char folder[] = "/tmp/laurel_loading_XXXXXX", script[sizeof folder + 16];
  double told = 0;
  laurel_scripts_config config = {.struct_size = sizeof config,
                                  .directory = folder,
                                  .context = &told,
                                  .on_emit = on_emit};
  laurel_boards *boards = laurel->open(NULL, NULL);
  FILE *file;

  if (boards == NULL || mkdtemp(folder) == NULL) return 0;
  snprintf(script, sizeof script, "%s/one.lua", folder);
  file = fopen(script, "w");
  if (file != NULL) {
    fputs("laurel.emit('held', (boards:board('run', {}):submit('ada', 42)))", file);
    fclose(file);
    laurel->host_scripts(boards, &config, NULL);
  }
  laurel->close(boards);
  unlink(script);
  rmdir(folder);
  return told == 42;
}

int main(int count, char **words) {
  char why[256] = "";
  const laurel_api *laurel;
  int right;

  if (count < 2 || !own_lua_works()) return 2;
  laurel = laurel_load(words[1], why, sizeof why);
  puts(laurel ? "loaded" : why);
  right = count == 2 ? laurel && hosts_scripts(laurel) : !laurel && strcmp(why, words[2]) == 0;
  return right && own_lua_works() ? 0 : 1;
}
