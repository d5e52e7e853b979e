/* c_host.c - a host in C11 that loads the real laurel.so: the header, the loader and the library fit
 * together, in a process that had no Lua.
 *
 *   c_host FILE
 */
#define LAUREL_LOADER
#include <laurel/laurel.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                      \
    }                                                                \
  } while (0)

int main(int count, char **words) {
  char why[256] = "";
  const laurel_api *laurel;
  laurel_boards *boards;
  laurel_board season;
  laurel_board_entry first;
  laurel_error error;

  CHECK(count == 2);
  CHECK(laurel_load("./no_such_file.so", why, sizeof why) == NULL);
  CHECK(strstr(why, "no_such_file") != NULL);

  laurel = laurel_load(words[1], why, sizeof why);
  if (!laurel) fprintf(stderr, "%s\n", why);
  CHECK(laurel != NULL);
  CHECK(laurel->struct_size >= sizeof(laurel_api));
  boards = laurel->open(NULL, &error);
  CHECK(boards != NULL);
  CHECK(laurel->board(boards, "season_3", NULL, &season, &error) == LAUREL_OK);
  CHECK(laurel->submit(boards, season, "p_alice", 8420, NULL, NULL, &error) == LAUREL_OK);
  laurel->tick(boards);
  CHECK(laurel->top(boards, season, &first, 1) == 1);
  CHECK(first.player_size == 7 && memcmp(first.player, "p_alice", 7) == 0);
  laurel->close(boards);
  puts("a C host keeps a board");
  return 0;
}
