/* segments.h - players of a board ranked among themselves: those who have one value of an
 * attribute, "3rd in Germany", and those who came one after another, "3rd in league 17". Part of
 * the C interface; the conventions of laurel.h apply.
 *
 *   laurel_segment germany;
 *   laurel->segments->open(boards, season, "country", "DE", &germany, &error);
 *   laurel->reads->page(boards, season, germany, 1, top, NULL, 10, &count, &error);
 *   laurel->segments->overall(boards, season, top, count, overall);
 *
 * Segments   `segments` of the spec names 1 to 4 attributes: {"segments", "country,clan", 0}. In a
 *            name, write "\" before each "," and "\". set_attributes of players.h sets the
 *            attributes of a player.
 * Cohorts    `cohorts` of the spec divides a board: {"cohorts", NULL, 50} into cohorts of 50
 *            players (2 to 1,000), {"cohorts", "30,league", 0} into cohorts of 30 for each value of
 *            the attribute. Players fill cohort 1, 2, ... in the order of their first accepted
 *            results of a season. A player who leaves the board keeps the place. A laurel_segment
 *            names a cohort as it names a segment.
 * Reads      All calls of reads.h take a segment as their `season`. A segment without players is
 *            empty. After the board's `segments` no longer name the attribute, or `cohorts` was
 *            taken off, such calls give LAUREL_UNKNOWN, or nothing.
 * Boards     local ones of the engines ranked, and sharded with ranked shards.
 * Threads    [game] for all calls. Batches of laurel.h's submit_all to a board with segments are
 *            [game], too.
 */
#ifndef LAUREL_SEGMENTS_H
#define LAUREL_SEGMENTS_H

#include "laurel.h"
#include "watch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names a segment or cohort of one board of one laurel_boards; never equals a season's number. A
 * cohort is either of the running season, whichever that is at the time of a call, or of one past
 * season. */
typedef uint64_t laurel_segment;

/* A value of an attribute, and how many players of the board have it. This struct never grows. */
typedef struct laurel_segment_size {
  const char *value; /* valid until the next call of sizes on these boards */
  uint64_t size;
} laurel_segment_size;

typedef struct laurel_segments_api {
  uint32_t struct_size;

  /* Writes to *segment the number that names the segment as long as the boards are open. It is the
   * same for each call.
   *   LAUREL_UNKNOWN      the board does not exist, or has no segments of the attribute
   *   LAUREL_BAD_DATA     no attribute has such a value
   *   LAUREL_UNAVAILABLE  65,536 segments and cohorts were opened, the most allowed */
  laurel_code (*open)(laurel_boards *boards, laurel_board board, const char *attribute,
                      const char *value, laurel_segment *segment, laurel_error *error);

  /* Fills `out`, which has room for `room`, with the values that players on the board have, the
   * largest segment first, segments of equal size by the bytes of their values. Writes to *count
   * how many it filled. LAUREL_UNKNOWN. O(v log v) for v values. */
  laurel_code (*sizes)(laurel_boards *boards, laurel_board board, const char *attribute,
                       laurel_segment_size *out, size_t room, size_t *count, laurel_error *error);

  /* As around of laurel.h, in a segment: out has room for 2n + 1. `ranks` may be null. */
  laurel_code (*around)(laurel_boards *boards, laurel_board board, laurel_segment segment,
                        const char *player, size_t n, laurel_board_entry *out, double *ranks,
                        size_t *count, laurel_error *error);

  /* Fills `out`, which has room for `count` numbers, with the ranks of the players of these entries
   * on the whole board, in its ranking mode; 0 if a player is not ranked. */
  void (*overall)(laurel_boards *boards, laurel_board board, const laurel_board_entry *entries,
                  size_t count, double *out);

  /* As watch of watch.h, for a segment. The `board` of an event is the segment's name,
   * "season_3:country=DE" or "season_3:cohort=17". LAUREL_CLOSED if it is a cohort of a past
   * season. */
  laurel_code (*watch)(laurel_boards *boards, laurel_board board, laurel_segment segment, size_t n,
                       laurel_on_change on_change, void *context, laurel_watch *watch,
                       laurel_error *error);

  /* As publish and unpublish of laurel.h, for a segment under that name. LAUREL_UNSUPPORTED if it
   * has more than 255 bytes, LAUREL_TAKEN if something else is published under it, LAUREL_CLOSED if
   * it is a cohort of a past season. */
  laurel_code (*publish)(laurel_live *live, laurel_board board, laurel_segment segment,
                         uint32_t top, int32_t with_data, laurel_error *error);
  void (*unpublish)(laurel_live *live, laurel_board board, laurel_segment segment);

  /* ---- absent before cohorts: see struct_size */

  /* Writes to *cohort what names the player's cohort, as open() does, and to *number its number,
   * counted from 1; 0 to both if the player is in none. Either pointer may be null. `season` is a
   * past one that is kept, or 0 for the running one.
   *   LAUREL_UNKNOWN      the board does not exist, or the season is not kept, or has no cohorts
   *   LAUREL_UNSUPPORTED  boards of this engine have none
   *   LAUREL_UNAVAILABLE  65,536 segments and cohorts were opened, the most allowed */
  laurel_code (*cohort)(laurel_boards *boards, laurel_board board, uint64_t season,
                        const char *player, laurel_segment *cohort, uint64_t *number,
                        laurel_error *error);
  /* How many cohorts the season has. Fails as cohort() does. */
  laurel_code (*cohorts)(laurel_boards *boards, laurel_board board, uint64_t season,
                         uint64_t *count, laurel_error *error);
} laurel_segments_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_SEGMENTS_H */
