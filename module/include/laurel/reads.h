/* reads.h - reads of boards that laurel.h does not have: scores at positions, shares of a board,
 * the surroundings of a score, and ranks in other modes. Part of the C interface; the conventions
 * of laurel.h apply.
 *
 *   double to_pass;
 *   if (laurel->reads->score_at(boards, season, 0, rank - 1, &to_pass))
 *     printf("%.0f points to the next player\n", to_pass - score);
 *
 * Boards     local ones; remote.h has the same reads of remote boards. A remote board is refused
 *            with LAUREL_UNSUPPORTED, or gives nothing.
 * Seasons    `season` is 0 for the running one, the number of a past one that is kept, or a segment
 *            or cohort (segments.h). LAUREL_UNKNOWN, or nothing, if there is no such board, season,
 *            segment or cohort.
 * Percentile 100 * (players ranked strictly worse) / size.
 * Lists      A list fills `out`, which has room for `room` entries, best first, and writes to
 *            *count how many it filled. `ranks`, if not null, has the same room and gets the rank
 *            of each entry as a double, which is exact on boards with fractional ranks, too.
 * Cost       O(log n) for n players, and O(k) for k entries. A padded board counts the keys before
 *            a position.
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_READS_H
#define LAUREL_READS_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct laurel_reads_api {
  uint32_t struct_size;

  /* Returns 1 and the score at a position, where position 1 is the best; or 0 if there is none. */
  int32_t (*score_at)(laurel_boards *boards, laurel_board board, uint64_t season,
                      uint64_t position, double *score);

  /* The worst held score whose player has at least this percentile. Writes 1 to *found and the
   * score to *score, or 0 to *found if there is none. Either may be null. LAUREL_NOT_FINITE if the
   * percentile is NaN. */
  laurel_code (*score_at_percentile)(laurel_boards *boards, laurel_board board, uint64_t season,
                                     double percentile, int32_t *found, double *score,
                                     laurel_error *error);

  /* The first `percent` percent of the players, rounded up: at least one if percent is above 0, all
   * if it is 100 or more. If there are more than `room`, fills in the first of them.
   * LAUREL_NOT_FINITE if percent is NaN. */
  laurel_code (*top_percent)(laurel_boards *boards, laurel_board board, uint64_t season,
                             double percent, laurel_board_entry *out, double *ranks, size_t room,
                             size_t *count, laurel_error *error);

  /* The n entries before and the n after the place where a new player with this score would be; out
   * has room for 2n. Near an end of the board the range is shifted, so that there are 2n if the
   * board has them. Writes to *rank, unless that is null, the rank that the new player would have.
   * LAUREL_NOT_FINITE, LAUREL_OUT_OF_RANGE. */
  laurel_code (*around_score)(laurel_boards *boards, laurel_board board, uint64_t season,
                              double score, size_t n, laurel_board_entry *out, double *ranks,
                              size_t *count, double *rank, laurel_error *error);

  /* As page of laurel.h: `room` entries from position `first` on. */
  laurel_code (*page)(laurel_boards *boards, laurel_board board, uint64_t season, uint64_t first,
                      laurel_board_entry *out, double *ranks, size_t room, size_t *count,
                      laurel_error *error);

  /* The player's rank in a ranking mode, by its word in laurel_spec; null: the board's own. Writes
   * 0 to *rank if the player is not ranked. Either pointer may be null. LAUREL_UNKNOWN also if
   * there is no such mode. */
  laurel_code (*rank)(laurel_boards *boards, laurel_board board, uint64_t season,
                      const char *player, const char *ranking, double *rank, uint64_t *size,
                      laurel_error *error);
} laurel_reads_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_READS_H */
