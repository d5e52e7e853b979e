/* no_lua.c - a process that exports no Lua: the loader refuses laurel.so and names a symbol,
 * and the process continues. This holds for each way of loading, and also if the process has a Lua
 * with local symbols. When a Lua is visible, laurel.so loads.
 *
 *   no_lua FILE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int refused(const char *how, const char *file, int flags) {
  void *library = dlopen(file, flags);
  const char *why = library ? "it loaded" : dlerror();

  if (library == NULL && strstr(why, "undefined symbol: lua") != NULL) return 1;
  fprintf(stderr, "%s: %s\n", how, why);
  return 0;
}

int main(int count, char **words) {
  int right = count == 2;

  right = right && refused("now", words[1], RTLD_NOW | RTLD_LOCAL);
  right = right && refused("lazily", words[1], RTLD_LAZY | RTLD_GLOBAL);
  right = right && dlopen("libluajit-5.1.so.2", RTLD_NOW | RTLD_LOCAL) != NULL;
  right = right && refused("beside a hidden Lua", words[1], RTLD_NOW | RTLD_LOCAL);
  right = right && dlopen("libluajit-5.1.so.2", RTLD_NOW | RTLD_GLOBAL) != NULL;
  right = right && dlopen(words[1], RTLD_NOW | RTLD_LOCAL) != NULL;
  if (!right) return 1;
  puts("refused without Lua, loaded with it");
  return 0;
}
