/* remote.h - boards that live in Redis, Valkey or DynamoDB, shared by many game servers: the part of the
 * C interface for them. laurel.h says what holds everywhere.
 *
 *   laurel_remote main = {"main", "redis://10.0.0.1:7000,10.0.0.2:7000"};
 *   laurel_config config = {.struct_size = sizeof config, .remotes = &main, .remote_count = 1};
 *   laurel_boards *boards = laurel->open(&config, &error);
 *   laurel_spec spec = {.struct_size = sizeof spec, .engine = "ranked", .remote = "main"};
 *   laurel->board(boards, "world", &spec, &world, &error);
 *
 *   laurel->remote->post(boards, world, "p_alice", 8420, NULL, &error);
 *   laurel->remote->rank(boards, world, "p_alice", on_rank, NULL, &error);
 *   ... once per server frame: laurel->tick(boards), which calls on_rank when the answer is there
 *
 * Calls      do what those of laurel.h with the same name do, and never wait for the network. All but
 *            post and state ask, and are answered later, by a callback.
 * Once       A call that returns LAUREL_OK is answered exactly once, within a tick and never within the
 *            call itself; one that returns anything else was not asked, and is not answered. So a
 *            context may be freed where its answer comes, and where its call was refused.
 * Answers    valid until the callback returns. It runs on the thread of tick, or of close, and may do
 *            there what any callback may: ask again, free its context; not close the boards.
 *            on_answer may be null: then nobody is told.
 * Order      Calls that wait at the same time are done in any order, and answered in any. What is to
 *            come after another call is asked where that one's answer comes; what is to happen at
 *            once is one call. Posts of a player are in order.
 * When       the answer comes, or after remote_timeout with LAUREL_UNAVAILABLE; then a write that had
 *            been sent says "unavailable: outcome unknown ...": it may count or not. Use post for what
 *            must not be lost.
 *            Board dropped while a call waits: LAUREL_UNKNOWN, at the next tick.
 *            close: LAUREL_CLOSED, within close, in the order of asking; whether writes count is not
 *            known. There the callback must not use the boards any more.
 * Refused    at once: LAUREL_UNKNOWN   the board was dropped, or never opened
 *                     LAUREL_INVALID   the board lives here (see archived)
 *                     LAUREL_UNAVAILABLE  65,536 calls wait, which is as many as can
 *            in the answer: all else, with the codes of the call's like in laurel.h.
 * Opening    A board is opened by laurel->board with a spec that gives `remote`, and never waits: what is
 *            asked meanwhile waits for it. Where the spec there differs in the stored order, state says
 *            so, reads go on, and writes are LAUREL_UNAVAILABLE. Engines: "ranked", and "sharded" of it,
 *            in Redis; "padded", and "sharded" of it, in DynamoDB; others are LAUREL_UNSUPPORTED.
 * Shown      laurel->publish shows such a board on the live channel; watch.h tells of its top. Rules judge
 *            what is asked here, on this server.
 * Cost       A call copies what it is given, about a microsecond, and is one message to the engine's
 *            thread; one that waits has up to 2 KB. An answer takes the round trip, and the time to the
 *            next tick.
 * Threads    [game] for all of it.
 */
#ifndef LAUREL_REMOTE_H
#define LAUREL_REMOTE_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What came of one call. What its own text does not name is zero, or null. */
typedef struct laurel_answer {
  uint32_t struct_size;
  laurel_code code; /* LAUREL_OK, or why not: then only text is there besides */
  const char* text; /* "banned: ..."; empty after success */
  int32_t changed;  /* 1 when a write changed anything */
  int32_t found;    /* 1 when the player is ranked */
  double score;
  uint64_t rank;
  uint64_t size; /* how many players are ranked */
  uint64_t number;
  const laurel_board_entry* entries; /* entry_count of them */
  size_t entry_count;
  const laurel_code* codes; /* of submit_all: code_count of them, in the order of its results */
  size_t code_count;
} laurel_answer;

typedef void (*laurel_on_answer)(void* context, const laurel_answer* answer);

/* How a board elsewhere stands. */
typedef struct laurel_remote_state {
  uint32_t struct_size;
  int32_t up;        /* 0 while its engine is away, or its spec differs there */
  uint64_t pending;  /* posts that are not acknowledged yet */
  uint64_t refused;  /* posts that its rule or a ban refused, since open */
  double oldest;     /* how many seconds the first of those pending waits; 0: none is */
  double round_trip; /* what a question takes, in seconds; 0: not known yet */
  char text[252];    /* "up", or "down: why" */
} laurel_remote_state;

typedef struct laurel_remote_api {
  uint32_t struct_size;

  /* Hands in a result that nobody waits for: kept here, in the boards' path where they have one,
   * until the engine has it; applied once and in order, through outages and restarts. LAUREL_OK is
   * that promise. What the board says when its turn comes (its rule, a ban) is logged, and counted
   * by state. Refused at once where that is known here: LAUREL_NOT_FINITE, _BAD_PLAYER, _BAD_DATA,
   * _OUT_OF_RANGE, _CLOSED; LAUREL_UNAVAILABLE where a million wait, or the disk refuses.
   * On a board that lives here it is submit. details and error may be null. */
  laurel_code (*post)(laurel_boards* boards, laurel_board board, const char* player, double score,
                      const laurel_details* details, laurel_error* error);

  /* 1 and how the board stands, or 0 where it lives here, or was dropped. Set out->struct_size
   * first. */
  int32_t (*state)(laurel_boards* boards, laurel_board board, laurel_remote_state* out);

  /* ---- writing */

  /* Answers with the score that is held now, and changed. details may be null. */
  laurel_code (*submit)(laurel_boards* boards, laurel_board board, const char* player, double score,
                        const laurel_details* details, laurel_on_answer on_answer, void* context,
                        laurel_error* error);
  laurel_code (*add)(laurel_boards* boards, laurel_board board, const char* player,
                     double difference, const laurel_details* details, laurel_on_answer on_answer,
                     void* context, laurel_error* error);
  laurel_code (*set)(laurel_boards* boards, laurel_board board, const char* player, double score,
                     const laurel_details* details, laurel_on_answer on_answer, void* context,
                     laurel_error* error);

  /* Answers with codes, and as number how many changed an entry. The results are copied; their own
   * `code` stays as it is. */
  laurel_code (*submit_all)(laurel_boards* boards, laurel_board board, const laurel_result* results,
                            size_t count, laurel_on_answer on_answer, void* context,
                            laurel_error* error);

  /* Each answers with changed: whether it was otherwise before. */
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

  /* Ends the running season, for all servers: number is that of the one that ended. */
  laurel_code (*reset)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                       void* context, laurel_error* error);

  /* Deletes the board, for all servers: changed, when there was one. Its handle names nothing from
   * the answer on. */
  laurel_code (*drop)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                      void* context, laurel_error* error);

  /* ---- reading */

  /* size. */
  laurel_code (*size)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                      void* context, laurel_error* error);

  /* found, score and rank of the player, and the entry itself as entries[0]. */
  laurel_code (*score)(laurel_boards* boards, laurel_board board, const char* player,
                       laurel_on_answer on_answer, void* context, laurel_error* error);

  /* found, rank and size. */
  laurel_code (*rank)(laurel_boards* boards, laurel_board board, const char* player,
                      laurel_on_answer on_answer, void* context, laurel_error* error);

  /* number: how many players have a score from low to high, both included; an infinite end is
   * open. LAUREL_NOT_FINITE at once: an end is NaN. */
  laurel_code (*count)(laurel_boards* boards, laurel_board board, double low, double high,
                       laurel_on_answer on_answer, void* context, laurel_error* error);

  /* Each: entries and size. Those around a player are as laurel.h has them: at most 2n + 1, with
   * n = 0 the player alone. */
  laurel_code (*top)(laurel_boards* boards, laurel_board board, size_t n,
                     laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*page)(laurel_boards* boards, laurel_board board, uint64_t first, size_t n,
                      laurel_on_answer on_answer, void* context, laurel_error* error);
  laurel_code (*around)(laurel_boards* boards, laurel_board board, const char* player, size_t n,
                        laurel_on_answer on_answer, void* context, laurel_error* error);

  /* number, of the running season. */
  laurel_code (*season)(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                        void* context, laurel_error* error);

  /* As page, of a season that has ended; LAUREL_UNKNOWN when it is not kept, nor, of a board in
   * Redis, in the remote called "archive". Of a board that lives here: of a season in that remote.
   * LAUREL_INVALID at once: it is kept here, or no remote has that name; the call of laurel.h reads
   * what is kept here. */
  laurel_code (*archived)(laurel_boards* boards, laurel_board board, uint64_t season,
                          uint64_t first, size_t n, laurel_on_answer on_answer, void* context,
                          laurel_error* error);
} laurel_remote_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_REMOTE_H */
