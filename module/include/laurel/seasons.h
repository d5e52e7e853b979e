/* seasons.h - handlers that are called once for each season that ended, and facts about seasons.
 * Part of the C interface; the conventions of laurel.h apply.
 *
 *   laurel_code on_end(void *context, const laurel_ended_season *ended, laurel_error *error) {
 *     laurel_board_entry top[3];
 *     size_t n = laurel->archived(boards, ended->board, ended->season, 1, top, 3);
 *     return give_prizes(top, n, error);
 *   }
 *   laurel->seasons->listen(boards, "prizes", on_end, NULL, NULL, &error);
 *   ... once per server frame: laurel->tick(boards), which calls on_end for each season that ended
 *
 * Name       A handler has a name of 1 to 255 bytes. The first listen registers the name, which
 *            stays registered, also after a restart, until forget. The handler of a name is called
 *            for each season of a local board that ends after the name was registered, also for
 *            those that ended while no process ran. There are at most 64 names, those of scripts
 *            included.
 * Remote     For a remote board, one of the servers that share it calls its handler, in the order
 *            of the board's seasons. If that server dies, another one does, within 60 s. The
 *            handler reads the season with `archived` of remote.h, whose answer comes after the
 *            handler has returned and the name is done. Give results that it posts an id made of
 *            `id`, which is the same on all servers. docs/remotes.md says what is guaranteed.
 * Order      Handlers run within tick only: the oldest end first, the ends of a board in order, the
 *            names in the order of their registration. A tick calls at least one handler, and
 *            further ones within 5 ms.
 * Once       What a handler writes to boards and players of this registry, and the note that its
 *            name is done, are one transaction: after a crash either all of it is there, or none
 *            and the handler is called again.
 * Failure    A handler that does not return LAUREL_OK is called again, also after a restart: after
 *            1 s by the boards' clock, then 2 s, up to 60 s. What it wrote stays, so give its
 *            results an id (laurel_details). Later ends of that board wait for it; other boards and
 *            names do not.
 * Handler    It runs on the thread of tick. It may make any call except close; if the boards have a
 *            path, flush fails in it. What it gets is valid until it returns.
 * Kept       An ended season is kept until all names are done with it, whatever `archive` says: at
 *            most 100 more. Beyond that the oldest is lost, and an error is logged. Once all names
 *            are done with it, a season is kept as `archive` says. Dropping a board discards its
 *            ends.
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_SEASONS_H
#define LAUREL_SEASONS_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct laurel_ended_season {
  uint32_t struct_size;
  laurel_board board; /* archived of laurel.h, and standing below, read the season's entries */
  const char *board_name;
  const char *id; /* no other season has it: at most 64 bytes */
  uint64_t season;
  uint64_t size; /* how many players were ranked */
  int64_t started;
  int64_t ended; /* when it was due to end */
} laurel_ended_season;

/* LAUREL_OK: the name is done with this season. Any other code: it is called again later, and
 * `error`, which is never null and begins empty, says why: pass it to the calls that may fail, or
 * write its text. */
typedef laurel_code (*laurel_on_season_end)(void *context, const laurel_ended_season *ended,
                                            laurel_error *error);

/* Identifies a handler of one laurel_boards; never 0. */
typedef uint64_t laurel_season_handler;

/* A season's end that a name is not done with. */
typedef struct laurel_waiting_end {
  uint32_t struct_size;
  uint32_t tries; /* calls that failed, in this process */
  const char *name;
  const char *board;
  uint64_t season;
  const char *error; /* of the last try; empty before the first */
} laurel_waiting_end;

/* Must not call this library. */
typedef void (*laurel_on_waiting_end)(void *context, const laurel_waiting_end *end);

/* A season, running or past. */
typedef struct laurel_season_facts {
  uint32_t struct_size;
  int32_t has_ended; /* 1 if `ended` is set: the season is past */
  int32_t has_resets_at;
  int32_t has_closes_at;
  uint64_t number;
  uint64_t size; /* how many players are ranked */
  int64_t started;
  int64_t ended;     /* when it was due to end */
  int64_t resets_at; /* of the running season, with `reset`: when it ends */
  int64_t closes_at; /* of the running season, with `duration`: until when it takes results */
} laurel_season_facts;

typedef struct laurel_seasons_api {
  uint32_t struct_size;

  /* ---- ends of seasons */

  /* Calls on_end for each season that ends, and writes its number to *handler unless that is null.
   * A second call with the same name replaces the handler.
   *   LAUREL_BAD_DATA     the name is empty, or has more than 255 bytes
   *   LAUREL_INVALID      on_end is null
   *   LAUREL_UNAVAILABLE  there are 64 names already, or the disk fails */
  laurel_code (*listen)(laurel_boards *boards, const char *name, laurel_on_season_end on_end,
                        void *context, laurel_season_handler *handler, laurel_error *error);

  /* Ends the calls of that handler. May be called within it. Its name stays registered: ends wait
   * for the next handler of that name. Does nothing if the handler was replaced or stopped. */
  void (*stop)(laurel_boards *boards, laurel_season_handler handler);

  /* Ends a name for good. Writes to *forgotten, unless that is null, 1, or 0 if the name is not
   * registered. */
  laurel_code (*forget)(laurel_boards *boards, const char *name, int32_t *forgotten,
                        laurel_error *error);

  /* Reports what is not done, the oldest end first, and returns how many. on_waiting may be null.
   * O(k log k) for k of them. */
  size_t (*waiting)(laurel_boards *boards, laurel_on_waiting_end on_waiting, void *context);

  /* ---- facts and past seasons */

  /* Returns 1 and the facts of a season, or 0 if it is not kept, or the board does not exist.
   * `season` is 0 for the running one. Set out->struct_size first. O(1). */
  int32_t (*facts)(laurel_boards *boards, laurel_board board, uint64_t season,
                   laurel_season_facts *out);

  /* Fills out, which has room for n, with the numbers of the seasons that are kept: the running
   * one, then the newest. Returns how many it filled. out may be null if n is 0. */
  size_t (*kept)(laurel_boards *boards, laurel_board board, uint64_t *out, size_t n);

  /* Returns 1 and a player's entry in a season, valid until the next call on these boards; or 0 if
   * the player is not ranked in it, or the season is not kept. `season` is 0 for the running one.
   * O(log n). */
  int32_t (*standing)(laurel_boards *boards, laurel_board board, uint64_t season,
                      const char *player, laurel_board_entry *out);
} laurel_seasons_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_SEASONS_H */
