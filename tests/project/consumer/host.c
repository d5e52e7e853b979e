/* host.c - a minimal server in C that uses an installed laurel. */
#define LAUREL_LOADER
#include <laurel/laurel.h>
#include <stdio.h>

int main(void) {
  char why[256];
  const laurel_api *laurel = laurel_load(LAUREL_MODULE, why, sizeof why);
  laurel_boards *boards = laurel ? laurel->open(NULL, NULL) : NULL;
  laurel_board run;
  if (!boards) return puts(why), 1;
  laurel->board(boards, "run", NULL, &run, NULL);
  laurel->submit(boards, run, "ada", 42, NULL, NULL, NULL);
  printf("laurel %s ranks %d\n", laurel->version, (int)laurel->size(boards, run));
  laurel->close(boards);
  return 0;
}
