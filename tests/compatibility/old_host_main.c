/* old_host_main.c - the host of old_host.c as a process of its own. The loader of 0.1.0 loads the
 * shipped library.
 *
 *   old_host LIBRARY
 */
#define _XOPEN_SOURCE 700
#define LAUREL_LOADER
#include "old_host.h"

#include <ftw.h>
#include <stdlib.h>

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  return remove(path);
}

int main(int count, char **words) {
  char folder[] = "/tmp/laurel_old_host_XXXXXX";
  char why[256];
  const laurel_api *laurel;
  const char *failed;

  if (count != 2 || !mkdtemp(folder)) return 2;
  laurel = laurel_load(words[1], why, sizeof why);
  failed = laurel ? old_host_plays(laurel, folder) : why;
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  puts(failed ? failed : "a host of 0.1.0 plays");
  return failed ? 1 : 0;
}
