/* laurel.h - leaderboards inside a game server: the C interface.
 *
 * A host loads laurel.so, calls its one entry symbol for a table of functions, and calls those:
 *
 *   const laurel_api *laurel = laurel_load("./laurel.so", why, sizeof why);
 *   laurel_boards *boards = laurel->open(NULL, &error);
 *   laurel_board season;
 *   laurel->board(boards, "season_3", NULL, &season, &error);
 *   laurel->submit(boards, season, "p_alice", 8420, NULL, NULL, &error);
 *   ... once per server frame: laurel->tick(boards);
 *   laurel->close(boards);
 *
 * If boards have a path and the host ends without close, writes that flush would wait for are lost.
 *
 * Words      board, player, score, entry, rank: as in the README's glossary.
 * Handles    The host owns each laurel_boards, laurel_live, laurel_client and laurel_scripts it
 *            opens, and closes it with the function listed next to the one that opened it. close
 *            also closes the live channels and scripts of the boards. The library checks neither
 *            for a closed handle nor, unless the text of the function allows null, for a null one:
 *            both are bugs of the host.
 * Strings    Zero-terminated bytes, UTF-8 by convention. A string with a size member beside it ends
 *            by that size and needs no zero. Names of players and boards have 1 to 255 bytes. The
 *            library copies its arguments before the call returns. It owns what it returns; the
 *            text of each function says how long that is valid.
 * Scores     finite doubles; exact decimals on boards with `decimals`.
 * Times      microseconds since the Unix epoch, UTC, within +-2^33 seconds.
 * Ranks      1-based, in the board's ranking mode. In the mode "fractional" a rank may end in .5; a
 *            uint64_t is then the rank without its half, and the members and arrays of doubles in
 *            the other headers are exact.
 * Failures   A call that can fail returns a laurel_code (LAUREL_OK is 0) and, if error is not null,
 *            fills *error: the code as a word, ": ", and a message for people. A refused call has
 *            changed nothing. One exception: if durability is "always" and the disk fails during a
 *            write, the write is applied in memory, and may not be on disk. No call throws, calls
 *            longjmp or exits. error may always be null.
 * Threads    [game] one call at a time, from any thread. [any] any thread, at any time.
 *            A callback runs on the thread of the call named in its text, and may call any function
 *            here unless its text forbids it; tick within tick does nothing. The library has
 *            threads of its own: one for the disk, one for the file of metrics, one for each live
 *            channel and each remote, and for a short time one that resolves a client's host name
 *            or prepares memory. None of them calls the host.
 * Waiting    open, close, flush, backup, export_to and import_from wait for the disk. If durability
 *            is "always", every write does. No other call waits, and none waits for the network.
 * Versions   Tables and structs grow only at the end. Each begins with struct_size, which the side
 *            that fills it sets to sizeof. The side that reads it treats members beyond that size
 *            as absent. An absent or zero member has its default value. LAUREL_ABI_VERSION
 *            changes only when an existing member changes its meaning.
 * Remotes    Boards in Redis or DynamoDB, shared by many servers, have their own calls in
 *            <laurel/remote.h>. Of the calls here that take a board, only publish and unpublish
 *            accept a remote one. The others return LAUREL_UNSUPPORTED, or nothing.
 * Scripts    Gameplay scripts (host_scripts) can do what this interface cannot: friends, ranges,
 *            sessions. They use the same boards as the host, and talk to it with emit and on_emit.
 * More       <laurel/results.h> has submissions to several boards, attempts, the history of a
 *            player and trials of rules; <laurel/seasons.h> handlers of season ends;
 *            <laurel/players.h> names and profiles; <laurel/watch.h> callbacks when a top changed;
 *            <laurel/reads.h> scores at positions, shares of a board, and ranks in other modes;
 *            <laurel/columns.h> scores of several columns; <laurel/marks.h> ranks since a mark;
 *            <laurel/segments.h> ranks among the players of one country, or of one cohort;
 *            <laurel/metrics.h> what is measured, for Prometheus.
 * Lua        laurel.so uses Lua's symbols from its host. A host without Lua first loads the Lua
 *            that laurel.so is built for, by default LuaJIT, with RTLD_GLOBAL. laurel_load, at the
 *            end of this file, does that. A process must not have two Luas: if the process has
 *            another Lua than laurel.so is built for, laurel_load fails.
 */
#ifndef LAUREL_LAUREL_H
#define LAUREL_LAUREL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAUREL_ABI_VERSION 1U

/* ---- errors ------------------------------------------------------------------------------ */

typedef int32_t laurel_code;
enum {
  LAUREL_OK = 0,
  LAUREL_INVALID = 1, /* an impossible configuration, or a null argument that may not be null */
  LAUREL_NOT_FINITE = 2,
  LAUREL_BAD_PLAYER = 3,
  LAUREL_BAD_DATA = 4,
  LAUREL_OUT_OF_RANGE = 5,
  LAUREL_OUTSIDE_WINDOW = 6,
  LAUREL_NOT_JOINED = 7,
  LAUREL_BANNED = 8,
  LAUREL_REJECTED = 9,
  LAUREL_TAKEN = 10,
  LAUREL_CLOSED = 11,
  LAUREL_UNKNOWN = 12, /* the board does not exist, or was dropped */
  LAUREL_UNSUPPORTED = 13,
  LAUREL_UNAVAILABLE = 14,
  LAUREL_EXHAUSTED = 15, /* the player has no `attempts` left in this season */
  LAUREL_FULL = 16       /* the board has `capacity` players */
};

typedef struct laurel_error {
  laurel_code code;
  char text[252]; /* "out_of_range: the score 1e+300 ..."; empty after success */
} laurel_error;

/* ---- handles ----------------------------------------------------------------------------- */

typedef struct laurel_boards laurel_boards;   /* a registry of boards */
typedef struct laurel_live laurel_live;       /* the live channel's server */
typedef struct laurel_client laurel_client;   /* a client of a live channel */
typedef struct laurel_scripts laurel_scripts; /* a running directory of gameplay scripts */

/* A reference to a board, which does not own it. After the board is dropped, calls with this handle
 * return LAUREL_UNKNOWN or nothing, even when the slot is used again. {0, 0} is never a board. */
typedef struct laurel_board {
  uint32_t slot;
  uint32_t generation;
} laurel_board;

/* ---- opening ------------------------------------------------------------------------------ */

enum { LAUREL_DEBUG = 0, LAUREL_INFO = 1, LAUREL_WARN = 2, LAUREL_ERROR = 3 };

/* A remote engine, for boards whose spec gives its name; see <laurel/remote.h>. A name has 1 to 64
 * letters, digits, '_' or '-'. */
typedef struct laurel_remote {
  const char *name;
  /* "redis://10.0.0.1:7000,10.0.0.2:7000", "rediss://10.0.0.1:7000" over TLS,
   * "dynamodb://eu-west-1/leaderboards" */
  const char *url;
} laurel_remote;

typedef struct laurel_config {
  uint32_t struct_size;
  void *context; /* passed to the callbacks below */

  /* The current time. Null: the system's clock. [the calling thread] */
  int64_t (*now)(void *context);

  /* Writes one line to the server's log; the line is valid during the call. Null: standard error.
   * Must not call this library. [the calling thread] */
  void (*log)(void *context, int level, const char *line);

  /* A directory of board rules, reloaded while the server runs. Null: no rules. */
  const char *rules;

  /* The directory that stores these boards; created if it is missing. One registry of one process
   * uses it at a time; a forked child must not. Null: the boards are in memory only, and are lost
   * when the process ends. */
  const char *path;

  /* Used if there is a path. "tick", the default if null: the writes of a tick are one transaction,
   * which is synced to disk soon afterwards; no call waits. "always": a write returns after it is
   * synced. "none": as "tick" without a sync, so a power failure may destroy the whole file. */
  const char *durability;

  const laurel_remote *remotes; /* remote_count of them, at most 16 */
  size_t remote_count;
  double remote_timeout; /* time limit for an answer of a remote, in seconds, at most 60; 0: 2 */

  /* A file for Prometheus, and how often it is written, in seconds from 1 to 3600; 0: 15. Null: no
   * file. See <laurel/metrics.h>. */
  const char *metrics;
  double metrics_seconds;

  /* Used if there is a path. 0: the command `laurel` can ban players and correct scores, through a
   * socket in the directory (laurel.sock, for this user only) that tick serves. 1: no socket. */
  int32_t no_control;
} laurel_config;

/* A field of a board, by its name in the Lua API: {"shards", NULL, 16}, {"of", "paged", 0},
 * {"reset", "0 0 * * 1", 0}. The fields of a rolling window are "window.buckets" and
 * "window.seconds". Times are in seconds. The `sources` of a combined board are names with commas
 * between them, or a pattern: "kills,deaths", "lap_*". In these names, write a backslash before
 * each comma, star and backslash. Its `weights` are text too: "3,1". The `source` of a board of
 * groups is a name without such backslashes. */
typedef struct laurel_field {
  const char *name;
  const char *text; /* null: the value is `number` */
  double number;
} laurel_field;

/* The fields of a board; the Lua API explains each. Null or zero: the default for a new board, no
 * change for an existing one. */
typedef struct laurel_spec {
  uint32_t struct_size;
  const char *engine;         /* "capped" | "ranked" | "padded" | "paged" | "sharded" | "rolling" |
                               * "combined" | "groups" */
  const char *order;          /* "desc" | "asc" */
  const char *keep;           /* "best" | "latest" | "sum" | "first" */
  const char *ties;           /* "earliest" | "latest" | "player" | "player_desc" */
  const char *ranking; /* "competition" | "modified" | "dense" | "ordinal" | "fractional" */
  const char *decimals;       /* one digit, "0" to "9"; a string, because 0 is a value */
  const char *join;           /* "open" | "required" */
  const char *rule;           /* the name of a rule */
  const char *meta;           /* at most 4,096 bytes */
  int64_t opens;              /* a time */
  int64_t closes;
  const laurel_field *fields; /* more fields, field_count of them; applied in order, after the
                               * members above: the last value wins */
  size_t field_count;
  const char *remote; /* name of the remote that has the board; null: local, or unchanged */
} laurel_spec;

/* ---- writing and reading ------------------------------------------------------------------ */

/* Optional parts of a submission. */
typedef struct laurel_details {
  uint32_t struct_size;
  const void *data; /* at most 1,024 bytes; null: none */
  size_t data_size;
  int64_t at;       /* when it happened, if has_at is not 0; else now */
  int32_t has_at;
  /* Identifies the result: 1 to 64 bytes that the host chooses, a match and a player, for example;
   * null: none. A board accepts an id once in 24 hours, and keeps the last million. A host that
   * was compiled without these members gives none. */
  const char *id;
  size_t id_size;
} laurel_details;

typedef struct laurel_outcome {
  double score;    /* the score now held; NaN if the player is not shown */
  int32_t changed; /* 1 if the entry changed */
  int32_t shown;   /* 0 if a capped board does not show the player; it uses former padding, so
                    * the struct keeps its size for older hosts */
} laurel_outcome;

/* One result of a batch. It has no data, and happens now. */
typedef struct laurel_result {
  const char *player;
  double score;
  laurel_code code; /* set by submit_all: LAUREL_OK, or why this result was refused */
} laurel_result;

/* An entry that was read. `player` and `data` are valid until the next call on these boards that is
 * not a read. */
typedef struct laurel_board_entry {
  const char *player;
  size_t player_size;
  double score;
  uint64_t rank;
  int64_t at;
  const void *data; /* null: none */
  size_t data_size;
} laurel_board_entry;

/* The state of a registry's disk. In memory, writable is 1 and the rest is zero. */
typedef struct laurel_disk {
  uint32_t struct_size;
  int32_t writable;             /* 0 while writes fail with LAUREL_UNAVAILABLE */
  uint64_t waiting_submissions; /* submissions that changed an entry and are not on disk yet */
  uint64_t waiting_bytes;
  double waiting_seconds;       /* age of the oldest of them */
  uint64_t transactions;        /* that succeeded */
  uint64_t failures;            /* that failed */
  uint64_t file_bytes;
} laurel_disk;

/* ---- the live channel ---------------------------------------------------------------------- */

/* Which clients may connect. */
typedef int32_t laurel_auth;
enum {
  LAUREL_AUTH_USUAL = 0, /* open on the loopback address, token on others */
  LAUREL_AUTH_OPEN = 1,  /* every client that reaches the port */
  LAUREL_AUTH_TOKEN = 2  /* clients that have a token, see token */
};

typedef struct laurel_serve_config {
  uint32_t struct_size;
  const char *bind;  /* an IPv4 address of this machine, or 0.0.0.0; null: "127.0.0.1" */
  uint16_t port;     /* 0: any free port, see live_port */
  uint32_t clients;  /* at most 4,000; 0: 1,024 */
  double rate;       /* maximum updates a second for each subscription, at most 1,000; 0: 20 */
  laurel_auth auth;
  int32_t checksum;  /* 1: ENet's checksum on every datagram; clients need the same setting */
  /* Clients of one address, at most 4,000. 0: a quarter of `clients` if all clients may connect,
   * all of them if clients need tokens. A host that was compiled without this member gets 0. */
  uint32_t clients_per_address;
} laurel_serve_config;

/* Size of a token as text: 40 hexadecimal digits and a zero. */
#define LAUREL_TOKEN_SIZE 41U

typedef struct laurel_connect_config {
  uint32_t struct_size;
  const char *host; /* null: "127.0.0.1" */
  uint16_t port;
  const char *token; /* from the server's function token; null: none */
  /* Used instead of token if it is not null. Called whenever a token is needed; returns one that is
   * valid until the next call, or null if there is none yet. Runs in client_tick. */
  const char *(*fetch_token)(void *context);
  void *context;
  int32_t checksum; /* the same setting as the server's */
} laurel_connect_config;

/* Counters of a live channel's server. */
typedef struct laurel_live_counters {
  uint32_t struct_size;
  uint32_t clients; /* connected now */
  uint64_t subscriptions;
  uint64_t tickets; /* tokens not used up yet, and clients that may reconnect */
  uint64_t sent;    /* messages */
  uint64_t bytes;   /* total size of those messages */
  uint64_t denied;  /* connects without a valid token, and clients for which there was no slot */
  uint64_t garbage; /* datagrams dropped before ENet saw them */
  uint64_t closed;  /* connections that the server ended: slow, late, abusive or refused clients */
} laurel_live_counters;

/* One row of what a client follows. All rows of a call are from one state of the board. */
typedef struct laurel_top_entry {
  const char *player;
  size_t player_size;
  const char *name; /* null: not known */
  size_t name_size;
  double score;
  uint64_t rank;
} laurel_top_entry;

/* The current top of a board, or the entries around the player: `count` entries, of `size` players
 * ranked on the board. Without a top, `refusal` says why ("unknown: ...") and the rest is
 * empty; else it is null. Everything is valid during the call. Runs in client_tick. */
typedef void (*laurel_on_top)(void *context, const char *board, const laurel_top_entry *entries,
                              size_t count, uint64_t size, uint64_t version,
                              const char *refusal);

/* ---- hosted scripts ------------------------------------------------------------------------ */

enum { LAUREL_NUMBER = 0, LAUREL_STRING = 1, LAUREL_BOOLEAN = 2 };

/* One value of an event. An event has a name of 1 to 255 bytes and at most 16 values. A string may
 * contain any bytes and needs no zero. */
typedef struct laurel_value {
  int32_t type;
  double number;      /* LAUREL_NUMBER; LAUREL_BOOLEAN: 0 or 1 */
  const char *string; /* LAUREL_STRING */
  size_t string_size;
} laurel_value;

typedef struct laurel_scripts_config {
  uint32_t struct_size;
  const char *directory; /* of *.lua files, each a gameplay script */
  void *context;         /* passed to on_emit */

  /* A script called laurel.emit(event, ...). Everything is valid during the call. May call emit in
   * return, nested at most 16 deep. Must not close the boards or these scripts. [the thread of
   * tick, emit or host_scripts] */
  void (*on_emit)(void *context, const char *event, const laurel_value *values, size_t count);

  /* The budget: how many instructions one call into the scripts may run. 10,000 to 1,000,000,000;
   * 0: no limit; other values are LAUREL_INVALID.
   *
   * Without a budget a script that loops for ever hangs the server, and LuaJIT compiles the
   * scripts. With a budget LuaJIT interprets them, because compiled code cannot be interrupted. A
   * call that exceeds the budget is interrupted by an error that scripts cannot catch, and
   * is logged with its traceback. Everything else continues, and the next call has the whole
   * budget again. One call is a load, a handler, a timer or a watch's callback, with all that runs
   * within it, also what the host emits in answer.
   *
   * Cost, compared with compiled scripts: 0.15 us for each call. A handler that mostly calls boards
   * takes a third longer, one that mostly computes two to four times as long, and the tightest loop
   * eight times. A million instructions take about 3 ms, or about 100 ms if they are calls into
   * the library, each of which counts as a few instructions.
   * Not interrupted: work inside one C function, such as a pattern that backtracks or string.rep,
   * and finalizers. Memory is not limited. Scripts have no jit.on and no debug.sethook. The budget
   * protects against mistakes, not against malice. */
  uint64_t instructions;
} laurel_scripts_config;

/* One counter and its name. Must not call this library. [the calling thread] */
typedef void (*laurel_on_counter)(void *context, const char *name, double value);

/* A rule whose file did not load, and the reason, with file and line. Valid during the call. Must
 * not call this library. [the calling thread] */
typedef void (*laurel_on_rule_error)(void *context, const char *rule, const char *error);

/* ---- the table ----------------------------------------------------------------------------- */

typedef struct laurel_api {
  uint32_t struct_size;
  uint32_t abi_version;
  const char *version; /* "0.2.0" */

  /* Opens a registry, in memory or in a directory. With a directory it waits for the disk and reads
   * everything (a few seconds for ten million entries). config may be null. Null if refused:
   * LAUREL_TAKEN       the directory is already open, in this process or another
   * LAUREL_BAD_DATA    its file is damaged, or is not laurel's
   * LAUREL_UNSUPPORTED its file was written by a newer version
   * LAUREL_UNAVAILABLE the disk failed
   * LAUREL_INVALID     the durability, or a remote's name or URL, is wrong; open does not connect
   * The host closes it. [game] */
  laurel_boards *(*open)(const laurel_config *config, laurel_error *error);

  /* Ends the scripts and live channels of these boards. Then writes everything to disk and closes
   * the boards; call flush first to learn whether the disk works. Remote calls that are pending are
   * answered with LAUREL_CLOSED. Null is ignored. Must not be called from a callback. [game] */
  void (*close)(laurel_boards *boards);

  /* Call it once per server frame. Reloads scripts and rules that changed, delivers answers of
   * remote boards, runs timers, watches and the changed() of rules, updates the live channel, and
   * gives the tick's writes to the writer thread. Callbacks of scripts and of remote calls run
   * inside it. Does not wait, except, if durability is "always", until the writes of handlers of
   * season ends are on disk. [game] */
  void (*tick)(laurel_boards *boards);

  /* Opens the board with that name, or creates it from spec (null: all defaults). LAUREL_INVALID if
   * spec changes a field that describes the stored order. Does not wait for a remote; see
   * <laurel/remote.h>. [game] */
  laurel_code (*board)(laurel_boards *boards, const char *name, const laurel_spec *spec,
                       laurel_board *out, laurel_error *error);

  /* Finds the board with that name: 1, or 0 if there is none. [game] */
  int32_t (*find)(laurel_boards *boards, const char *name, laurel_board *out);

  /* Deletes a local board: 1, or 0 if there was none, the disk failed, or a board that is made from
   * others names it as a source. [game] */
  int32_t (*drop)(laurel_boards *boards, const char *name);

  /* Submits a result. The board's rule may refuse it or choose the score; else `keep` decides.
   * details, out and error may be null. O(log n), about 1 us; allocates only for new players.
   * A result with an id that this board accepted within the last 24 hours, by submit, add or set,
   * changes nothing, whatever else it says: *out has the score now held, and changed is 0. A
   * refused result does not use up its id.
   * LAUREL_EXHAUSTED and LAUREL_FULL: the board's `attempts` or `capacity`. [game] */
  laurel_code (*submit)(laurel_boards *boards, laurel_board board, const char *player,
                        double score, const laurel_details *details, laurel_outcome *out,
                        laurel_error *error);

  /* Adds to the held score, or to 0, whatever `keep` is. Otherwise as submit. */
  laurel_code (*add)(laurel_boards *boards, laurel_board board, const char *player,
                     double difference, const laurel_details *details, laurel_outcome *out,
                     laurel_error *error);

  /* Sets the score, for moderators. Ignores the rule, `keep`, `opens`, `closes`, `duration`,
   * `attempts` and `capacity`; bans and `join` still apply. Otherwise as submit. */
  laurel_code (*set)(laurel_boards *boards, laurel_board board, const char *player, double score,
                     const laurel_details *details, laurel_outcome *out, laurel_error *error);

  /* Submits `count` results in order, sets the code of each, and returns how many changed an entry.
   * If the board does not exist, the code of all is LAUREL_UNKNOWN. [game]
   *
   * Several threads may call submit_all at once, also on the same board, if the board's engine is
   * "sharded" of "ranked", it has no `rule`, `attempts`, `capacity`, `history`, `journal`,
   * `segments`, `cohorts` or marks, no board is made from it, durability is not "always", and no
   * thread makes any other call on these boards meanwhile.
   * The results of one call are applied in order; calls have no order among each other.
   * config.now and config.log may then run on any of these threads. */
  size_t (*submit_all)(laurel_boards *boards, laurel_board board, laurel_result *results,
                       size_t count);

  /* Removes the entry: 1, or 0 if there was none or the disk failed. [game] */
  int32_t (*remove)(laurel_boards *boards, laurel_board board, const char *player);

  /* Joins, leaves, bans, unbans. LAUREL_OK also if nothing had to change. [game] */
  laurel_code (*join)(laurel_boards *boards, laurel_board board, const char *player,
                      laurel_error *error);
  laurel_code (*leave)(laurel_boards *boards, laurel_board board, const char *player,
                       laurel_error *error);
  laurel_code (*ban)(laurel_boards *boards, laurel_board board, const char *player,
                     laurel_error *error);
  laurel_code (*unban)(laurel_boards *boards, laurel_board board, const char *player,
                       laurel_error *error);

  /* The number of ranked players; 0 if the board does not exist. O(1). [game] */
  uint64_t (*size)(laurel_boards *boards, laurel_board board);

  /* 1 and the player's score, or 0 if the player is not ranked, or not shown. score may be null.
   * O(1) in memory. [game] */
  int32_t (*score)(laurel_boards *boards, laurel_board board, const char *player, double *score);

  /* "211th of 1539": 1, the rank and the size, or 0 if the player is not ranked. Either pointer may
   * be null. O(log n). [game] */
  int32_t (*rank)(laurel_boards *boards, laurel_board board, const char *player, uint64_t *rank,
                  uint64_t *size);

  /* Fills out, which has room for n, with the first n entries, best first, and returns how many it
   * filled. O(n). [game] */
  size_t (*top)(laurel_boards *boards, laurel_board board, laurel_board_entry *out, size_t n);

  /* As top, from position `first` on; 1 is the best. O(log n + n). [game] */
  size_t (*page)(laurel_boards *boards, laurel_board board, uint64_t first,
                 laurel_board_entry *out, size_t n);

  /* Starts the live channel's server on its own thread. Null if refused: LAUREL_UNAVAILABLE if the
   * port is in use, LAUREL_INVALID if a member of config is out of range. Runs until live_close or
   * close. [game] */
  laurel_live *(*serve)(laurel_boards *boards, const laurel_serve_config *config,
                        laurel_error *error);
  void (*live_close)(laurel_live *live);
  uint16_t (*live_port)(laurel_live *live);

  /* Shows the first `top` (1 to 100) of a board to clients, and updates them at each tick that
   * changes it. Sends the entries' data if with_data is 1. [game] */
  laurel_code (*publish)(laurel_live *live, laurel_board board, uint32_t top, int32_t with_data,
                         laurel_error *error);
  void (*unpublish)(laurel_live *live, laurel_board board);

  /* 1 if every connected client has acknowledged the newest state of each board that it follows. If
   * no packet is lost, that takes one tick after the last change. [game] */
  int32_t (*live_settled)(laurel_live *live);

  /* Opens a client of a live channel, local or remote. Never waits: client_tick connects, and
   * reconnects. Null if refused. The host closes it. [one thread for each client] */
  laurel_client *(*connect)(const laurel_connect_config *config, laurel_error *error);
  void (*client_close)(laurel_client *client); /* not from on_top */

  /* Calls on_top with the board's first n (1 to 100), once at the beginning and then at each
   * change. May be called before the client is connected. A second call replaces the first. */
  laurel_code (*subscribe)(laurel_client *client, const char *board, uint32_t n,
                           laurel_on_top on_top, void *context, laurel_error *error);
  void (*unsubscribe)(laurel_client *client, const char *board);

  /* Serves the connection and runs the callbacks. Never waits. */
  void (*client_tick)(laurel_client *client);

  /* "connecting" | "connected" | "refused: ..." | "lost: ...". Valid until the next call on this
   * client. */
  const char *(*client_state)(laurel_client *client);

  /* Runs a directory of gameplay scripts on these boards, in a Lua state of its own. Loads every
   * *.lua file in order of name; tick reloads those that changed and unloads those that are gone.
   * A reload replaces all that a file set up: handlers, timers, watches and live channels. A live
   * channel survives if the new version calls boards:serve with the same options; laurel.state
   * survives too. A script that fails is logged with file, line and traceback; its last version
   * stays in use and the other scripts are not affected. A host may run several directories, each
   * in its own state.
   * Null if refused: LAUREL_UNAVAILABLE, the directory cannot be read; LAUREL_INVALID, the budget
   * is out of range, or directory is null. Ended by scripts_close or close. [game] */
  laurel_scripts *(*host_scripts)(laurel_boards *boards, const laurel_scripts_config *config,
                                  laurel_error *error);
  void (*scripts_close)(laurel_scripts *scripts); /* not from on_emit */

  /* Runs every handler of the event now, ordered by script and then by its laurel.on. Returns how
   * many ran, those that failed included. If there are too many values, logs a line and returns 0.
   * [game] */
  size_t (*emit)(laurel_scripts *scripts, const char *event, const laurel_value *values,
                 size_t count);

  /* Waits until every earlier write is on disk. LAUREL_UNAVAILABLE if the disk fails. From then on
   * writes fail with LAUREL_UNAVAILABLE and reads work, until a retry succeeds; the library retries
   * by itself. In memory: LAUREL_OK at once. [game] */
  laurel_code (*flush)(laurel_boards *boards, laurel_error *error);

  /* Writes a consistent copy to another directory, which another registry can open. Waits for the
   * disk. LAUREL_TAKEN if the directory already has boards; LAUREL_UNSUPPORTED for boards in
   * memory. [game] */
  laurel_code (*backup)(laurel_boards *boards, const char *directory, laurel_error *error);

  /* Writes all local boards with their seasons, all players and all sessions to a file of JSON
   * lines, and reads such a file. import_from fails with LAUREL_TAKEN if a board or a player of the
   * file exists already, and with LAUREL_BAD_DATA, naming the line, if the file is broken; it then
   * changes nothing. Both wait for the disk. [game] */
  laurel_code (*export_to)(laurel_boards *boards, const char *file, laurel_error *error);
  laurel_code (*import_from)(laurel_boards *boards, const char *file, laurel_error *error);

  /* How much is not on disk yet. Set out->struct_size first. [game] */
  void (*disk)(laurel_boards *boards, laurel_disk *out);

  /* Creates a token for a player's client and writes its text to out. It is valid for `seconds` and
   * for `uses` connections (1 to 1,000,000). A client that was connected may reconnect without a
   * token for ten minutes after it was lost. Tokens are durable if the boards are. The connections
   * of such a token are in clear; live->token (live.h) makes one for encrypted connections.
   * LAUREL_BAD_PLAYER, LAUREL_OUT_OF_RANGE, LAUREL_UNAVAILABLE. [game] */
  laurel_code (*token)(laurel_live *live, const char *player, double seconds, uint32_t uses,
                       char out[LAUREL_TOKEN_SIZE], laurel_error *error);

  /* Set out->struct_size first. [game] */
  void (*live_counters)(laurel_live *live, laurel_live_counters *out);

  /* Calls on_entries as subscribe does, with the player of the client's token, n entries (0 to 10)
   * above and n below; no entries while the player is not ranked. If the server knows no token of
   * the client, calls it once with "unsupported: ...". unsubscribe ends both. */
  laurel_code (*follow)(laurel_client *client, const char *board, uint32_t n,
                        laurel_on_top on_entries, void *context, laurel_error *error);

  /* Fills out, which has room for 2n + 1, with n entries above the player, the player, and n below;
   * returns how many. Near an end of the board the range is shifted, so that there are 2n + 1 if
   * the board has them. n = 0 gives the player alone. 0 if the player is not ranked. O(log n).
   * [game] */
  size_t (*around)(laurel_boards *boards, laurel_board board, const char *player, size_t n,
                   laurel_board_entry *out);

  /* The number of the running season, from 1; 0 if the board does not exist. [game] */
  uint64_t (*season)(laurel_boards *boards, laurel_board board);

  /* Ends the running season now, even if it is empty. Writes its number to *ended unless that is
   * null. [game] */
  laurel_code (*reset)(laurel_boards *boards, laurel_board board, uint64_t *ended,
                       laurel_error *error);

  /* As page, for a past season. 0 if the season is not kept. The spec's `archive` says how many
   * past seasons are kept; the default is 1. For seasons in a remote archive see archived in
   * remote.h. [game] */
  size_t (*archived)(laurel_boards *boards, laurel_board board, uint64_t season, uint64_t first,
                     laurel_board_entry *out, size_t n);

  /* Saves what is known of a player. A null name or email stays as it is. Live channels show the
   * name, and <laurel/players.h> reads it. LAUREL_TAKEN: another player has the email.
   * LAUREL_BAD_DATA: a name or email has 1 to 255 bytes. [game] */
  laurel_code (*save_player)(laurel_boards *boards, const char *player, const char *name,
                             const char *email, laurel_error *error);

  /* Removes every trace of a player: entries, also in past seasons, name and email, sessions, bans.
   * LAUREL_OK also if there was none. O(boards and past seasons). [game] */
  laurel_code (*forget)(laurel_boards *boards, const char *player, laurel_error *error);

  /* Reports every counter of these boards, with its name in boards:stats() of the Lua API. The
   * names are valid as long as the process. O(boards). [game] */
  void (*stats)(laurel_boards *boards, laurel_on_counter on_counter, void *context);

  /* Reports the counters of hosted scripts. scripts, handlers, timers: in use now. loaded,
   * load_failed: versions. calls: of handlers and timers. failed: calls and watches that ended with
   * an error. interrupted: calls that exceeded their budget. emitted: events from scripts.
   * O(scripts). [game] */
  void (*script_stats)(laurel_scripts *scripts, laurel_on_counter on_counter, void *context);

  /* Reloads every rule's file, even if it did not change, and reports those that failed; on_error
   * may be null. Returns how many failed; their last versions stay in use. [game] */
  size_t (*reload_rules)(laurel_boards *boards, laurel_on_rule_error on_error, void *context);

  /* Calls on remote boards: <laurel/remote.h>. */
  const struct laurel_remote_api *remote;

  /* Callbacks when the top of a board changed: <laurel/watch.h>. */
  const struct laurel_watch_api *watching;

  /* Results to several boards, attempts, history, trials of rules: <laurel/results.h>. */
  const struct laurel_results_api *results;

  /* Handlers of season ends, and facts about seasons: <laurel/seasons.h>. */
  const struct laurel_seasons_api *seasons;

  /* Names and profiles of players, and new ids for them: <laurel/players.h>. */
  const struct laurel_players_api *players;

  /* Scores at positions, shares of a board, ranks in other modes: <laurel/reads.h>. */
  const struct laurel_reads_api *reads;
  /* Scores of several columns: <laurel/columns.h>. */
  const struct laurel_columns_api *columns;
  /* How far players climbed since a mark: <laurel/marks.h>. */
  const struct laurel_marks_api *marks;
  /* Players with one value of an attribute, or of one cohort, ranked among themselves:
   * <laurel/segments.h>. */
  const struct laurel_segments_api *segments;
  /* The live channel's columns, rank changes, published boards, gateways: <laurel/live.h>. */
  const struct laurel_live_api *live;
  /* What is measured, as text for Prometheus: <laurel/metrics.h>. */
  const struct laurel_metrics_api *metrics;
} laurel_api;

/* The entry symbol of the C interface. Returns the table, or null if this library does not support
 * that version. The table is valid as long as the process. [any] */
const laurel_api *laurel_entry(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

/* ---- loading ------------------------------------------------------------------------------- */

/* Define LAUREL_LOADER before including this header in the one source file that loads laurel.so,
 * and link with -ldl if the C library needs it. */
#ifdef LAUREL_LOADER
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The Lua that is loaded if the process has none: the one that laurel.so is built for. */
#ifndef LAUREL_LUA_LIBRARY
#define LAUREL_LUA_LIBRARY "libluajit-5.1.so.2"
#endif

/* If the process has a Lua other than LuaJIT and Lua 5.1, its name; else null. Only these two have
 * the function lua_pcall: later versions have lua_pcallk instead. */
static inline const char *laurel_other_lua(void *process) {
  if (dlsym(process, "lua_pcallk")) {
    if (dlsym(process, "lua_numbertocstring")) return "Lua 5.5";
    if (dlsym(process, "lua_newuserdatauv")) return "Lua 5.4";
    return dlsym(process, "lua_rotate") ? "Lua 5.3" : "Lua 5.2";
  }
  if (dlsym(process, "lua_pcall")) return NULL;
  return dlsym(process, "lua_newstate") || dlsym(process, "lua_version") ? "a part of a Lua" : NULL;
}

/* Loads LAUREL_LUA_LIBRARY if the process has no Lua, then laurel.so, and returns its table.
 * Returns null if something is missing, or if laurel.so is built for another Lua than that of the
 * process; `why` says which. Nothing is ever unloaded. */
static inline const laurel_api *laurel_load(const char *path, char *why, size_t why_size) {
  typedef const laurel_api *(*entry_function)(uint32_t);
  union {
    void *symbol;
    entry_function call;
  } entry;
  const char *other, *problem;
  void *library;

  library = dlopen(NULL, RTLD_NOW); /* the process and its visible symbols */
  other = library ? laurel_other_lua(library) : NULL;
  if (other && !dlsym(library, "lua_pcallk")) { /* two Luas would share symbols, and crash */
    snprintf(why, why_size, "this process has %s, and laurel needs all of one", other);
    return NULL;
  }
  if (!other && !(library && dlsym(library, "lua_pcall")) &&
      !dlopen(LAUREL_LUA_LIBRARY, RTLD_NOW | RTLD_GLOBAL)) {
    snprintf(why, why_size, "cannot load Lua: %s", dlerror());
    return NULL;
  }
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  problem = library ? NULL : dlerror();
  if (problem && strstr(problem, "undefined symbol: lua")) {
    snprintf(why, why_size,
             "this process has %s, and laurel.so is built for another Lua: see LAUREL_LUA of its "
             "build",
             other ? other : "LuaJIT or Lua 5.1");
    return NULL;
  }
  entry.symbol = library ? dlsym(library, "laurel_entry") : NULL;
  if (!entry.symbol) {
    snprintf(why, why_size, "cannot load laurel: %s", problem ? problem : "it has no entry");
    return NULL;
  }
  if (!entry.call(LAUREL_ABI_VERSION)) {
    snprintf(why, why_size, "%s does not speak version %u of laurel.h", path, LAUREL_ABI_VERSION);
    return NULL;
  }
  return entry.call(LAUREL_ABI_VERSION);
}
#endif

#endif /* LAUREL_LAUREL_H */
