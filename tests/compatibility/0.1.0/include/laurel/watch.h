/* watch.h - being told when the top of a board changed: who came, who went, who moved. A part of the C
 * interface; laurel.h says what holds everywhere.
 *
 *   laurel_watch watch;
 *   laurel->watching->watch(boards, season, 10, on_change, NULL, &watch, &error);
 *   ... once per server frame: laurel->tick(boards), which calls on_change when the top 10 changed
 *   laurel->watching->unwatch(boards, watch);
 *
 * Boards     those that live here, and those in a remote (remote.h), whichever server changed them.
 * When       within tick, never within another call; once a tick at most for each watch, with what
 *            came of all changes since. The first call tells of the first change after the watch
 *            began; of a board in a remote, after its top was read for the first time.
 * Changes    by writes, and by the clock: the end of a season, a day that leaves a rolling board.
 *            A board that was written and stands as before is not told of.
 * Events     valid until on_change returns. It runs on the thread of tick, and may do there what any
 *            callback may: submit, watch, unwatch itself and others; not close the boards. What it
 *            changes is told to watches that began later in the same tick, to others at the next.
 * End        by unwatch, by the end of the board, by close: from then on nobody is called.
 * Limits     of one laurel_boards 1,024 watches of boards here, and as many of boards in remotes, those
 *            of scripts among them; of the first 1 to 1,000.
 * Cost       nothing while the board does not change; O(n) at a tick after it did.
 * Threads    [game] for all of it.
 */
#ifndef LAUREL_WATCH_H
#define LAUREL_WATCH_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names a watch of one laurel_boards; never 0. */
typedef uint64_t laurel_watch;

/* Who was in the top and still is, with another score or another rank. */
typedef struct laurel_moved {
  laurel_board_entry entry; /* as it is now */
  double previous;          /* the score before */
  uint64_t previous_rank;
} laurel_moved;

typedef struct laurel_watch_event {
  uint32_t struct_size;
  laurel_watch watch;
  const char *board;
  const laurel_board_entry *top; /* as it is now, best first: top_count of them, n at most */
  size_t top_count;
  const laurel_board_entry *entered; /* as they are, best first */
  size_t entered_count;
  const laurel_board_entry *left; /* as they were, with their old rank */
  size_t left_count;
  const laurel_moved *moved;
  size_t moved_count;
} laurel_watch_event;

typedef void (*laurel_on_change)(void *context, const laurel_watch_event *event);

typedef struct laurel_watch_api {
  uint32_t struct_size;

  /* Begins to tell of the board's first n, and writes the watch to *watch where that is not null.
   *   LAUREL_UNKNOWN      the board was dropped, or never opened
   *   LAUREL_INVALID      n is not 1 to 1,000, or on_change is null
   *   LAUREL_UNAVAILABLE  as many watches stand as can be */
  laurel_code (*watch)(laurel_boards *boards, laurel_board board, size_t n,
                       laurel_on_change on_change, void *context, laurel_watch *watch,
                       laurel_error *error);

  /* Ends it: on_change is not called any more. Does nothing where it ended before. */
  void (*unwatch)(laurel_boards *boards, laurel_watch watch);
} laurel_watch_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_WATCH_H */
