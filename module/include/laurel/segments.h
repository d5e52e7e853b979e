/* segments.h - the players of a board who have one value of an attribute, ranked among themselves:
 * "3rd in Germany". Part of the C interface; the conventions of laurel.h apply.
 *
 *   laurel_segment germany;
 *   laurel->segments->open(boards, season, "country", "DE", &germany, &error);
 *   laurel->reads->page(boards, season, germany, 1, top, NULL, 10, &count, &error);
 *   laurel->segments->overall(boards, season, top, count, overall);
 *
 * Segments   `segments` of the spec names 1 to 4 attributes: {"segments", "country,clan", 0}. In a
 *            name "\" is before each "," and "\". set_attributes of players.h sets a player's.
 * Reads      All calls of reads.h take a segment as their `season`. A segment without players is
 *            empty. After the board's `segments` no longer name the attribute, such calls give
 *            LAUREL_UNKNOWN, or nothing.
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

/* Names a segment of one board of one laurel_boards; never a number of a season. */
typedef uint64_t laurel_segment;

/* A value of an attribute, and how many players of the board have it. This struct never grows. */
typedef struct laurel_segment_size {
  const char *value; /* valid until the next call of sizes on these boards */
  uint64_t size;
} laurel_segment_size;

typedef struct laurel_segments_api {
  uint32_t struct_size;

  /* Writes to *segment what names these players as long as the boards are open: the same number
   * for the same segment.
   *   LAUREL_UNKNOWN      the board does not exist, or has no segments of the attribute
   *   LAUREL_BAD_DATA     no attribute has such a value
   *   LAUREL_UNAVAILABLE  65,536 segments were opened, the most allowed */
  laurel_code (*open)(laurel_boards *boards, laurel_board board, const char *attribute,
                      const char *value, laurel_segment *segment, laurel_error *error);

  /* Fills `out`, which has room for `room`, with the values that players on the board have, the
   * largest segment first, equals by bytes; and *count with how many there are in it.
   * LAUREL_UNKNOWN. O(v log v) for v values. */
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

  /* As watch of watch.h, of a segment. The events' board is its name, "season_3:country=DE". */
  laurel_code (*watch)(laurel_boards *boards, laurel_board board, laurel_segment segment, size_t n,
                       laurel_on_change on_change, void *context, laurel_watch *watch,
                       laurel_error *error);

  /* As publish and unpublish of laurel.h, of a segment under that name. LAUREL_UNSUPPORTED if it
   * has more than 255 bytes, LAUREL_TAKEN if something else is published under it. */
  laurel_code (*publish)(laurel_live *live, laurel_board board, laurel_segment segment,
                         uint32_t top, int32_t with_data, laurel_error *error);
  void (*unpublish)(laurel_live *live, laurel_board board, laurel_segment segment);
} laurel_segments_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_SEGMENTS_H */
