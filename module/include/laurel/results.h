/* results.h - what boards do with results besides laurel.h's submit: results to several boards,
 * reports, attempts, the history of a player, and trials of rules. Part of the C interface; the
 * conventions of laurel.h apply.
 *
 *   laurel_board on[] = {kills, points};
 *   double scores[] = {1, 5}, held[2];
 *   laurel->results->submit_each(boards, on, scores, 2, "p_alice", NULL, held, NULL, &error);
 *
 * Boards     local ones. A remote board is refused with LAUREL_UNSUPPORTED, or gives nothing; its
 *            attempts are in <laurel/remote.h>.
 * Spec       `attempts`, `history` and `journal` are set by laurel_field: {"history", NULL, 10}.
 * Structs    Set the struct_size of a struct that a call fills before the call. What a callback
 *            gets, and its strings, are valid until the callback returns.
 * Callbacks  run within the call. They may make any call, but must not close the boards.
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_RESULTS_H
#define LAUREL_RESULTS_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one submission did. A rank of 0 means that the player is not listed. */
typedef struct laurel_report {
  uint32_t struct_size;
  int32_t changed;        /* 1 if the entry changed */
  double score;           /* the score now held; NaN if a capped board does not show the player */
  double previous;        /* the score before; NaN: the player had no entry */
  uint64_t rank;
  uint64_t previous_rank; /* 0: the player had no entry */
  uint64_t passed;        /* positions gained; for a new entry, the number of entries behind it */
  int64_t at;             /* of the entry */
  /* The same ranks as numbers that may end in .5, for boards with fractional ranks. */
  double exact_rank;
  double exact_previous_rank;
} laurel_report;

/* How a result came. */
enum { LAUREL_BY_SUBMIT = 0, LAUREL_BY_ADD = 1, LAUREL_BY_SET = 2, LAUREL_BY_JOIN = 3 };

/* An accepted result of a player, whether or not it changed the entry. */
typedef struct laurel_past_result {
  uint32_t struct_size;
  int32_t by;
  double score; /* that was submitted; for an add, the difference */
  double held;  /* the score held after it */
  int64_t at;
  const void *data; /* null: none */
  size_t data_size;
  const char *rule_version; /* of the rule that accepted it; null: none */
  const double *differences; /* with columns: a value for each, in place of `score`; null: none */
  size_t difference_count;
} laurel_past_result;

typedef void (*laurel_on_result)(void *context, const laurel_past_result *result);

/* What a version of a rule did with the submissions of a journal. */
typedef struct laurel_rehearsal {
  uint32_t struct_size;
  uint32_t examples; /* how many were reported, at most 100 */
  uint64_t judged;   /* accepted + refused + failed */
  uint64_t same;     /* with the outcome that they had: the same score, or a refusal in any words */
  uint64_t accepted;
  uint64_t refused;
  uint64_t failed;   /* the rule raised an error, exceeded its budget, or returned nonsense */
} laurel_rehearsal;

/* A submission whose outcome under the version differs from the one that it had. An outcome is a
 * refusal or, if that is null, a score. */
typedef struct laurel_rehearsal_example {
  uint32_t struct_size;
  const char *player;
  double submitted;
  const char *was_refusal; /* "rejected: too good to be true" */
  double was;              /* NaN if it was refused */
  const char *now_refusal;
  double now;
  const double *differences; /* with columns: in place of `submitted`; null: none */
  size_t difference_count;
} laurel_rehearsal_example;

typedef void (*laurel_on_example)(void *context, const laurel_rehearsal_example *example);

typedef struct laurel_results_api {
  uint32_t struct_size;

  /* Submits one result to `count` boards, all or none, with one moment. Each board decides by its
   * own rule and `keep`, and checks for itself whether it knows the result's id. `held`, if not
   * null, has room for `count` scores and gets those now held, in the order of the boards: NaN for
   * a capped board that does not show the player. If a board refuses, its index is written to
   * *refused, unless that is null; else `count` is. LAUREL_INVALID if a board is given twice.
   * O(count * log n). */
  laurel_code (*submit)(laurel_boards *boards, const laurel_board *on, size_t count,
                        const char *player, double score, const laurel_details *details,
                        double *held, size_t *refused, laurel_error *error);

  /* As submit, with a score for each board: `count` of them, in the order of the boards. */
  laurel_code (*submit_each)(laurel_boards *boards, const laurel_board *on, const double *scores,
                             size_t count, const char *player, const laurel_details *details,
                             double *held, size_t *refused, laurel_error *error);

  /* As laurel.h's submit, and fills *out unless that is null. Costs two lookups of ranks more. A
   * result whose id was accepted before has passed = 0, and previous = score. */
  laurel_code (*report)(laurel_boards *boards, laurel_board board, const char *player,
                        double score, const laurel_details *details, laurel_report *out,
                        laurel_error *error);

  /* Replaces the data of an entry, whose score and moment stay. `data` has at most 1,024 bytes;
   * null: none. Writes to *found, unless that is null, 1 if there is an entry, or 0 if there is
   * none and nothing changed. */
  laurel_code (*set_data)(laurel_boards *boards, laurel_board board, const char *player,
                          const void *data, size_t data_size, int32_t *found,
                          laurel_error *error);

  /* ---- attempts: how many results of a player a season takes */

  /* 1, and how many results of the player were taken in the running season and how many are left;
   * 0 if the board has no `attempts`, or does not exist. Either pointer may be null. Results
   * of submit and add count. Those of set do not, nor do refused results and results whose id was
   * accepted before. */
  int32_t (*attempts)(laurel_boards *boards, laurel_board board, const char *player,
                      uint64_t *taken, uint64_t *left);

  /* Gives the player `more` attempts in the running season, or fewer if that is negative, within
   * +-2^53. Writes to *left, unless that is null, how many are left. LAUREL_UNSUPPORTED if the
   * board has no `attempts`. */
  laurel_code (*grant)(laurel_boards *boards, laurel_board board, const char *player,
                       int64_t more, uint64_t *left, laurel_error *error);

  /* ---- the history of a player: the last `history` results of the running season */

  /* Reports at most `limit` of the player's results, the newest first, and returns how many. 0 if
   * none are kept. on_result may be null. */
  size_t (*history)(laurel_boards *boards, laurel_board board, const char *player, size_t limit,
                    laurel_on_result on_result, void *context);

  /* Takes back every kept result of the player with exactly this moment (`void` in the Lua API).
   * The entry, with its moment and data, is computed again from the other kept results; the rule's
   * score() judges the later ones again. Works for a banned player too. *out, unless null, gets the
   * score now held, or NaN and shown = 0 if there is no entry. The result's id and attempt stay
   * used. LAUREL_UNKNOWN if there is no such result. */
  laurel_code (*take_back)(laurel_boards *boards, laurel_board board, const char *player,
                           int64_t at, laurel_outcome *out, laurel_error *error);

  /* ---- trials of rules */

  /* Judges the submissions in the board's journal by the rule of that name, each against what was
   * held when it came. Nothing changes. Fills *out, unless that is null, and reports examples,
   * oldest first; on_example may be null. Waits until all are judged: a journal has at most
   * 100,000. (Scripts can do it in slices, in a task.)
   * LAUREL_UNKNOWN      there is no such rule or board
   * LAUREL_UNAVAILABLE  the rule does not load, or the boards have no directory of rules */
  laurel_code (*rehearse)(laurel_boards *boards, laurel_board board, const char *rule,
                          laurel_rehearsal *out, laurel_on_example on_example, void *context,
                          laurel_error *error);
} laurel_results_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_RESULTS_H */
