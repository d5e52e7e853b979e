/* columns.h - boards whose scores have several columns, such as laps and then seconds. Part of the
 * C interface; the conventions of laurel.h apply.
 *
 *   laurel_field fields[] = {{"columns", "laps, seconds asc 3 0 100000", 0}};
 *   ... open the board with them, then
 *   double values[] = {12, 53.21};
 *   laurel->columns->submit(boards, board, LAUREL_BY_SUBMIT, "p_alice", values, 2, NULL, &out,
 *                           &error);
 *   laurel->columns->values(boards, board, entry.score, values, 2);
 *
 * Spec       The field `columns` has 2 to 5 columns with commas between them. Each is a name and,
 *            after spaces, optional values: "desc" or "asc", the number of decimals, the least and
 *            the largest value. The defaults are desc, 0, 0 and 999999999. The board's order is
 *            that of the first column.
 * Score      Wherever another header has a score of such a board, it is the whole score: one number
 *            that stands for all columns. pack() makes it, and values() takes it apart. Whole
 *            scores compare as the scores do: if the board's order is "desc", the larger one is
 *            better. submit, set and report of the other headers take a whole score, and refuse
 *            other numbers with LAUREL_OUT_OF_RANGE.
 * Difference What is added (by add, or by submit with keep = "sum") may be negative, or larger than
 *            a column's largest value. No whole score stands for such values: add them with submit
 *            of this header.
 * Boards     local ones. count, describe, pack and values also work for remote boards: the calls of
 *            remote.h take what pack() makes. The columns of a board in Redis have at most 53 bits
 *            together.
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_COLUMNS_H
#define LAUREL_COLUMNS_H

#include "laurel.h"
#include "results.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAUREL_COLUMNS_MAX 5

typedef struct laurel_column {
  uint32_t struct_size;
  int32_t decimals;
  double min;
  double max;
  char name[36];    /* ends in a zero byte */
  int32_t is_desc;  /* 1: high values win; 0: low ones */
} laurel_column;

/* A value for each column of a board. */
typedef struct laurel_values {
  const double *values;
  size_t count;
} laurel_values;

typedef struct laurel_columns_api {
  uint32_t struct_size;

  /* How many columns the scores of a board have; 0 if they are plain numbers, or the board does not
   * exist. */
  size_t (*count)(laurel_boards *boards, laurel_board board);

  /* 1 and the column with this number, counted from 0; 0 if there is none. Set out->struct_size
   * first. */
  int32_t (*describe)(laurel_boards *boards, laurel_board board, size_t column,
                      laurel_column *out);

  /* The whole score of the values, in the columns' order. Values are rounded to the columns'
   * decimals, half away from zero.
   * LAUREL_NOT_FINITE, LAUREL_OUT_OF_RANGE  a value; the text names the column
   * LAUREL_INVALID                          `count` is not the number of the board's columns */
  laurel_code (*pack)(laurel_boards *boards, laurel_board board, const double *values,
                      size_t count, double *score, laurel_error *error);

  /* Fills out, which has room for n, with the values of a whole score; returns how many it filled.
   * 0 if `score` is not a whole score of this board. */
  size_t (*values)(laurel_boards *boards, laurel_board board, double score, double *out, size_t n);

  /* As laurel.h's submit, add and set, with values: `by` is LAUREL_BY_SUBMIT, LAUREL_BY_ADD or
   * LAUREL_BY_SET. `min` and `max` bound what is held afterwards. Fails as those and pack() do. */
  laurel_code (*submit)(laurel_boards *boards, laurel_board board, int32_t by, const char *player,
                        const double *values, size_t count, const laurel_details *details,
                        laurel_outcome *out, laurel_error *error);

  /* As submit_each of results.h, with values: `count` of them, in the order of the boards. A board
   * without columns takes one value. */
  laurel_code (*submit_each)(laurel_boards *boards, const laurel_board *on,
                             const laurel_values *scores, size_t count, const char *player,
                             const laurel_details *details, double *held, size_t *refused,
                             laurel_error *error);
} laurel_columns_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_COLUMNS_H */
