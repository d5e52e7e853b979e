/* watch.h - callbacks when the top of a board changed: which players entered, left or moved. Part
 * of the C interface; the conventions of laurel.h apply.
 *
 *   laurel_watch watch;
 *   laurel->watching->watch(boards, season, 10, on_change, NULL, &watch, &error);
 *   ... once per server frame: laurel->tick(boards), which calls on_change when the top 10 changed
 *   laurel->watching->unwatch(boards, watch);
 *
 * Boards     local and remote (remote.h) boards; it does not matter which server changed them.
 * When       Within tick only, at most once per tick for each watch, with all changes since the
 *            last callback. The first reports changes after the watch began, or, if the board is
 *            remote, after its top was first read.
 * Changes    by writes and by the clock: the end of a season, a day that leaves a rolling board. A
 *            write that leaves the top as it was is not reported.
 * Events     An event is valid until on_change returns. on_change runs on the thread of tick. It
 *            may submit, begin watches, and end any watch, its own included; it must not close the
 *            boards. A change that it makes is reported in the same tick to watches that began
 *            after its own, and at the next tick to others.
 * End        A watch ends by unwatch, with its board, or by close. There are no callbacks after
 *            that.
 * Limits     100,000 watches of local boards and 100,000 of remote boards per laurel_boards, those
 *            of scripts included. A watch covers the first 1 to 1,000 entries.
 * Cost       None while the board does not change; O(n) at a tick after it did.
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_WATCH_H
#define LAUREL_WATCH_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Identifies a watch of one laurel_boards; never 0. */
typedef uint64_t laurel_watch;

/* An entry that stayed in the top with another score or rank. */
typedef struct laurel_moved {
  laurel_board_entry entry; /* the entry now */
  double previous;          /* the score before */
  uint64_t previous_rank;
} laurel_moved;

typedef struct laurel_watch_event {
  uint32_t struct_size;
  laurel_watch watch;
  const char *board;
  const laurel_board_entry *top; /* now, best first: top_count of them, at most n */
  size_t top_count;
  const laurel_board_entry *entered; /* the entries now, best first */
  size_t entered_count;
  const laurel_board_entry *left; /* the entries before, with their old rank */
  size_t left_count;
  const laurel_moved *moved;
  size_t moved_count;
  /* The ranks of each list as numbers that may end in .5, for boards with fractional ranks. */
  const double *top_ranks;
  const double *entered_ranks;
  const double *left_ranks;
  const double *moved_ranks;
  const double *moved_previous_ranks;
} laurel_watch_event;

typedef void (*laurel_on_change)(void *context, const laurel_watch_event *event);

typedef struct laurel_watch_api {
  uint32_t struct_size;

  /* Watches the board's first n, and writes the watch to *watch unless that is null.
   *   LAUREL_UNKNOWN      the board was dropped, or never opened
   *   LAUREL_INVALID      n is not 1 to 1,000, or on_change is null
   *   LAUREL_UNAVAILABLE  there are 100,000 watches already */
  laurel_code (*watch)(laurel_boards *boards, laurel_board board, size_t n,
                       laurel_on_change on_change, void *context, laurel_watch *watch,
                       laurel_error *error);

  /* Ends the watch: on_change is no longer called. Does nothing if the watch has ended. */
  void (*unwatch)(laurel_boards *boards, laurel_watch watch);
} laurel_watch_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_WATCH_H */
