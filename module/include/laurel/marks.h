/* marks.h - the order of a board at a mark, and how far players climbed since. Part of the C
 * interface; the conventions of laurel.h apply.
 *
 *   laurel->marks->mark(boards, season, NULL, &error);
 *   ...
 *   double climbed;
 *   laurel->marks->rank_changes(boards, season, &player, 1, &climbed);
 *   if (climbed > 0) printf("up %.0f\n", climbed);
 *
 * Mark       a moment whose order a board remembers until the next one. `marks` of the spec is a
 *            line of cron that sets marks by the clock: {"marks", "0 0 * * *", 0}. A season of a
 *            board with marks begins with a mark of an empty board.
 * Order      The order at a mark is that of the players who were ranked then. Later removals and
 *            bans do not change it.
 * Boards     local ones of the engines ranked, capped, and sharded with ranked shards. Others are
 *            refused with LAUREL_UNSUPPORTED, or give nothing.
 * Threads    [game] for all calls. Once a board has marks, batches of laurel.h's submit_all are
 *            [game], too.
 */
#ifndef LAUREL_MARKS_H
#define LAUREL_MARKS_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A ranked player now and at the last mark. */
typedef struct laurel_since {
  uint32_t struct_size;
  int32_t has_mark;     /* 0: there was no mark yet */
  double rank;          /* may end in .5 */
  double previous_rank; /* 0: the player was not ranked at the mark */
  double score;
  double previous;      /* the score at the mark; NaN: the player was not ranked then */
  int64_t mark;         /* the time of the mark, if has_mark is 1 */
} laurel_since;

typedef struct laurel_marks_api {
  uint32_t struct_size;

  /* Sets a mark now, and writes its time to *at unless that is null. O(1), whatever the size.
   * LAUREL_UNSUPPORTED, LAUREL_UNAVAILABLE. */
  laurel_code (*mark)(laurel_boards *boards, laurel_board board, int64_t *at,
                      laurel_error *error);

  /* 1 and fills *out if the player is ranked; else 0. Set out->struct_size first. Costs as
   * much as two calls of rank. */
  int32_t (*since)(laurel_boards *boards, laurel_board board, const char *player,
                   laurel_since *out);

  /* Fills `out`, which has room for `count` numbers, with how many ranks each of these players
   * climbed since the last mark, in the board's ranking mode; negative: fallen. NaN if the player
   * is not ranked now, or was not at the mark. */
  void (*rank_changes)(laurel_boards *boards, laurel_board board, const char *const *players,
                       size_t count, double *out);
} laurel_marks_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_MARKS_H */
