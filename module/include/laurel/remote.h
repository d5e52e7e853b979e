/* remote.h - boards in Redis, Valkey or DynamoDB, shared by many game servers: their part of the C
 * interface. The conventions of laurel.h apply.
 *
 *   laurel_remote main = {"main", "redis://10.0.0.1:7000,10.0.0.2:7000"};
 *   laurel_config config = {.struct_size = sizeof config, .remotes = &main, .remote_count = 1};
 *   laurel_boards *boards = laurel->open(&config, &error);
 *   laurel_spec spec = {.struct_size = sizeof spec, .engine = "ranked", .remote = "main"};
 *   laurel->board(boards, "world", &spec, &world, &error);
 *
 *   laurel->remote->post(boards, world, "p_alice", 8420, NULL, &error);
 *   laurel->remote->rank(boards, world, "p_alice", on_rank, NULL, &error);
 *   ... once per server frame: laurel->tick(boards), which calls on_rank when the answer has come
 *
 * Calls      Each call does what the call of the same name in laurel.h does, and never waits for
 *            the network. post and state return at once; the others are answered later, by a
 *            callback.
 * Once       If a call returns LAUREL_OK, its callback runs exactly once: within tick or close, and
 *            never within the call itself. Otherwise the callback does not run. So free the
 *            context in the callback, or when the call returns an error.
 * Answers    An answer is valid until the callback returns. The callback runs on the thread of tick
 *            or close. It may make calls and free its context; it must not close the boards.
 *            on_answer may be null.
 * Order      Pending calls are executed and answered in any order. To order two calls, make the
 *            second in the callback of the first. What must happen together must be one call. The
 *            posts of a player are applied in order.
 * Timeout    After remote_timeout the answer is LAUREL_UNAVAILABLE. If a write was already sent,
 *            the text is "unavailable: outcome unknown ...": the write may or may not have been
 *            applied. Use post for what must not be lost.
 * Drop       If the board is dropped while a call is pending, the next tick answers LAUREL_UNKNOWN.
 * Close      close answers pending calls with LAUREL_CLOSED, in the order in which they were made.
 *            Their writes may or may not have been applied. These callbacks must not use the
 *            boards.
 * Refused    at once: LAUREL_UNKNOWN      the board was dropped, or never opened
 *                     LAUREL_INVALID      the board is local (see archived)
 *                     LAUREL_UNAVAILABLE  65,536 calls are pending, which is the limit
 *            in the answer: all others, with the codes of the same call in laurel.h.
 * Opening    laurel->board opens a remote board if its spec has `remote`. It never waits: calls
 *            wait until the board is open. If the stored order on the remote differs from the spec,
 *            state reports it, reads work, and writes are LAUREL_UNAVAILABLE. Engines: "ranked" and
 *            "sharded" of it in Redis; "padded" and "sharded" of it in DynamoDB; others are
 *            LAUREL_UNSUPPORTED.
 * Also       laurel->publish shows a remote board on the live channel; watch.h watches its top. Its
 *            rule runs on this server, for what this server submits.
 * Cost       A call copies its arguments, which takes about 1 us, and sends one message to the
 *            remote's thread; a pending call uses up to 2 KB. The answer comes at the first tick
 *            after the round trip.
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_REMOTE_H
#define LAUREL_REMOTE_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The answer to a call. Members that the text of the call does not name are zero or null. */
typedef struct laurel_answer {
  uint32_t struct_size;
  laurel_code code; /* LAUREL_OK, or the reason why not; then only text is set */
  const char* text; /* "banned: ..."; empty after success */
  int32_t changed;  /* 1 if a write changed something */
  int32_t found;    /* 1 if the player is ranked */
  double score;
  uint64_t rank;
  uint64_t size; /* the number of ranked players */
  uint64_t number;
  const laurel_board_entry* entries; /* entry_count of them */
  size_t entry_count;
  const laurel_code* codes; /* for submit_all: code_count of them, in the order of its results */
  size_t code_count;
  /* rank, and the ranks of the entries, as numbers that may end in .5, for boards with fractional
   * ranks. */
  double exact_rank;
  const double* exact_ranks; /* entry_count of them */
  uint64_t left; /* attempts of a player; a library before 0.2 does not have this member */
} laurel_answer;

typedef void (*laurel_on_answer)(void* context, const laurel_answer* answer);

/* The state of a remote board. */
typedef struct laurel_remote_state {
  uint32_t struct_size;
  int32_t up;        /* 0 if the remote is not reachable, or its spec of the board differs */
  uint64_t pending;  /* posts that are not acknowledged yet */
  uint64_t refused;  /* posts refused by the rule or a ban, since the board was opened */
  double oldest;     /* age of the oldest pending post, in seconds; 0: none */
  double round_trip; /* of a request, in seconds; 0: not known yet */
  char text[252];    /* "up", or "down: why" */
} laurel_remote_state;

typedef struct laurel_remote_api {
  uint32_t struct_size;

  /* Submits a result without an answer. It is kept locally, on disk if the boards have a path,
   * until the remote acknowledges it. LAUREL_OK promises that it is applied once and in order, also
   * after outages and restarts. If the rule or a ban refuses it then, that is logged and counted in
   * state. Refused at once, if this server knows the reason: LAUREL_NOT_FINITE, _BAD_PLAYER,
   * _BAD_DATA, _OUT_OF_RANGE, _CLOSED; LAUREL_UNAVAILABLE if a million posts are pending, or the
   * disk fails. For a local board it is submit. details and error may be null. */
  laurel_code (*post)(laurel_boards* boards, laurel_board board, const char* player, double score,
                      const laurel_details* details, laurel_error* error);

  /* 1 and the state of the board; 0 if the board is local, or was dropped. Set out->struct_size
   * first. */
  int32_t (*state)(laurel_boards* boards, laurel_board board, laurel_remote_state* out);

  /* ---- writing */

  /* Answer: score, now held, and changed. details may be null. */
  laurel_code (*submit)(laurel_boards* boards, laurel_board board, const char* player, double score,
                        const laurel_details* details, laurel_on_answer on_answer, void* context,
                        laurel_error* error);
  laurel_code (*add)(laurel_boards* boards, laurel_board board, const char* player,
                     double difference, const laurel_details* details, laurel_on_answer on_answer,
                     void* context, laurel_error* error);
  laurel_code (*set)(laurel_boards* boards, laurel_board board, const char* player, double score,
                     const laurel_details* details, laurel_on_answer on_answer, void* context,
                     laurel_error* error);

  /* Answer: codes, and in number how many results changed an entry. Copies the results; their
   * `code` is not set. */
  laurel_code (*submit_all)(laurel_boards* boards, laurel_board board, const laurel_result* results,
                            size_t count, laurel_on_answer on_answer, void* context,
                            laurel_error* error);

  /* Answer: changed, 0 if nothing had to change. */
  laurel_code (*remove)(laurel_boards* boards, laurel_board board, const char* player,
                        laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*join)(laurel_boards* boards, laurel_board board, const char* player,
                      laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*leave)(laurel_boards* boards, laurel_board board, const char* player,
                       laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*ban)(laurel_boards* boards, laurel_board board, const char* player,
                     laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*unban)(laurel_boards* boards, laurel_board board, const char* player,
                       laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Ends the running season, for all servers. Answer: number, of the season that ended. */
  laurel_code (*reset)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                       void* context, laurel_error* error);

  /* Deletes the board, for all servers. Answer: changed, 0 if it did not exist. The handle is
   * invalid from then on. */
  laurel_code (*drop)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                      void* context, laurel_error* error);

  /* ---- reading */

  /* Answer: size. */
  laurel_code (*size)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                      void* context, laurel_error* error);

  /* Answer: found, score and rank of the player, and the entry as entries[0]. */
  laurel_code (*score)(laurel_boards* boards, laurel_board board, const char* player,
                       laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Answer: found, rank and size, in the board's own ranking. In Redis it takes O(log n), except a
   * dense rank of a board with several shards, which takes a step for each distinct score that is
   * better. In DynamoDB it counts all better entries. */
  laurel_code (*rank)(laurel_boards* boards, laurel_board board, const char* player,
                      laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Answer: number, of players with a score from low to high, both included. Either may be
   * infinite. LAUREL_NOT_FINITE at once if one is NaN. */
  laurel_code (*count)(laurel_boards* boards, laurel_board board, double low, double high,
                       laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Answer: entries and size. around gives at most 2n + 1 entries, as in laurel.h; n = 0 gives the
   * player alone. */
  laurel_code (*top)(laurel_boards* boards, laurel_board board, size_t n,
                     laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*page)(laurel_boards* boards, laurel_board board, uint64_t first, size_t n,
                      laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*around)(laurel_boards* boards, laurel_board board, const char* player, size_t n,
                        laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Answer: number, of the running season. */
  laurel_code (*season)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                        void* context, laurel_error* error);

  /* As page, for a past season. LAUREL_UNKNOWN if neither the board keeps it nor, for a board in
   * Redis, the remote named "archive" has it. For a local board it reads that remote only:
   * LAUREL_INVALID at once if there is none, or if the season is kept locally; archived of laurel.h
   * reads those. */
  laurel_code (*archived)(laurel_boards* boards, laurel_board board, uint64_t season,
                          uint64_t first, size_t n, laurel_on_answer on_answer, void* context,
                          laurel_error* error);

  /* ---- from 0.2 on: if struct_size includes them */

  /* As in <laurel/reads.h>, of the running season. Answer: found and score. */
  laurel_code (*score_at)(laurel_boards* boards, laurel_board board, uint64_t position,
                          laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*score_at_percentile)(laurel_boards* boards, laurel_board board, double percentile,
                                     laurel_on_answer on_answer, void* context,
                                     laurel_error* error);

  /* Answer: entries and size; of around_score also the rank that a new player would have. */
  laurel_code (*top_percent)(laurel_boards* boards, laurel_board board, double percent,
                             laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*around_score)(laurel_boards* boards, laurel_board board, double score, size_t n,
                              laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Answer: found, 0 if the board has no `attempts`; number, how many results of the player this
   * season took, and left. See attempts in <laurel/results.h>. */
  laurel_code (*attempts)(laurel_boards* boards, laurel_board board, const char* player,
                          laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Gives the player `more` attempts in the running season, or fewer if that is negative. Answer:
   * left. LAUREL_UNSUPPORTED if the board has no `attempts`. */
  laurel_code (*grant)(laurel_boards* boards, laurel_board board, const char* player, int64_t more,
                       laurel_on_answer on_answer, void* context, laurel_error* error);
} laurel_remote_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_REMOTE_H */
