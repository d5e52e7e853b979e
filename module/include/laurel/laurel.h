/* laurel.h - leaderboards inside a game server: the C interface.
 *
 * A host loads laurel.so, asks its one entry symbol for a table of functions, and works with that:
 *
 *   const laurel_api *laurel = laurel_load("./laurel.so", why, sizeof why);
 *   laurel_boards *boards = laurel->open(NULL, &error);
 *   laurel_board season;
 *   laurel->board(boards, "season_3", NULL, &season, &error);
 *   laurel->submit(boards, season, "p_alice", 8420, NULL, NULL, &error);
 *   ... once per server frame: laurel->tick(boards);
 *   laurel->close(boards);
 *
 * A host whose boards have a path and that ends without close has lost what flush waits for.
 *
 * Words      board, player, score, entry, rank: as in the README's glossary.
 * Handles    laurel_boards, _live, _client and _scripts belong to whoever opened them, who closes
 *            them, each with the function beside the one that opens it; close takes what was opened
 *            on the boards along. A handle that was closed, or null where the text does not allow
 *            it, is a bug of the host that nothing here looks for.
 * Strings    zero-terminated bytes, UTF-8 by custom; those with a size beside them end by that, and
 *            need no zero. A player has 1 to 255 bytes, a board's name too. What the host passes in is
 *            copied before the call returns. What it gets is owned by laurel and lives as long as the
 *            function says.
 * Scores     finite doubles; exact decimals on boards with `decimals`.
 * Times      microseconds since the Unix epoch, UTC, within +-2^33 seconds.
 * Ranks      1-based, in the board's ranking mode.
 * Failures   A call that can be refused returns a laurel_code, LAUREL_OK being 0, and explains
 *            itself in *error where error is not null: a word, ": ", and a sentence for people.
 *            A refused call has changed nothing. No call ever throws, longjmps or exits. error may
 *            always be null.
 * Threads    [game] one caller at a time, whichever thread that is. [any] any thread, any time.
 *            A callback runs on the thread of the call that it names, and may call anything here
 *            unless its own text forbids it; tick within tick does nothing. The library's own
 *            threads, one for a disk, one for each live channel and each remote, and now and
 *            then one that fetches memory, call nobody.
 * Waiting    open and close, flush, backup, export_to and import_from wait for the disk, and every
 *            write where durability is "always". Nothing else waits, and nothing for the network.
 * Versions   Tables and structs only ever grow at the end. Each begins with struct_size, set to
 *            sizeof by whoever fills it; a reader treats members beyond it as absent, and absent or
 *            zero members as their default. LAUREL_ABI_VERSION changes only when a member that
 *            exists changes its meaning.
 * Elsewhere  Boards that live in Redis or DynamoDB, shared by many servers, are asked by the calls of
 *            <laurel/remote.h>. Of the calls here that are given a board only publish and unpublish
 *            take one of those: to all others it is LAUREL_UNSUPPORTED, or has nothing.
 * Beyond     What is not here gameplay scripts can do (host_scripts): watches, friends, ranges,
 *            sessions, boards of many engines by name. They and the host have the same boards, and
 *            tell each other by emit and on_emit.
 * Lua        laurel.so leaves Lua's symbols to its host. A host without Lua loads LuaJIT with
 *            RTLD_GLOBAL first; laurel_load, at the end of this file, does that. Never link a
 *            second Lua into such a process: in one that has Lua 5.2 or later laurel_load refuses.
 */
#ifndef LAUREL_LAUREL_H
#define LAUREL_LAUREL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAUREL_ABI_VERSION 1U

/* ---- how a call says no ------------------------------------------------------------------ */

typedef int32_t laurel_code;
enum {
  LAUREL_OK = 0,
  LAUREL_INVALID = 1, /* a configuration that can never work, or a null where none may be */
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
  LAUREL_UNKNOWN = 12, /* no such board, or it was dropped */
  LAUREL_UNSUPPORTED = 13,
  LAUREL_UNAVAILABLE = 14
};

typedef struct laurel_error {
  laurel_code code;
  char text[252]; /* "out_of_range: the score 1e+300 ..."; empty after success */
} laurel_error;

/* ---- what the host names ----------------------------------------------------------------- */

typedef struct laurel_boards laurel_boards;   /* a registry of boards */
typedef struct laurel_live laurel_live;       /* the live channel's server */
typedef struct laurel_client laurel_client;   /* a client of some live channel */
typedef struct laurel_scripts laurel_scripts; /* a directory of gameplay scripts, running */

/* Names a board without owning it. After the board is dropped the handle is answered with
 * LAUREL_UNKNOWN or nothing, even when its slot is used again. {0, 0} never names a board. */
typedef struct laurel_board {
  uint32_t slot;
  uint32_t generation;
} laurel_board;

/* ---- opening ------------------------------------------------------------------------------ */

enum { LAUREL_DEBUG = 0, LAUREL_INFO = 1, LAUREL_WARN = 2, LAUREL_ERROR = 3 };

/* An engine elsewhere, for boards that name it; <laurel/remote.h> says more. A name has 1 to 64
 * letters, digits, '_' or '-'. */
typedef struct laurel_remote {
  const char *name;
  const char *url; /* "redis://10.0.0.1:7000,10.0.0.2:7000", "dynamodb://eu-west-1/leaderboards" */
} laurel_remote;

typedef struct laurel_config {
  uint32_t struct_size;
  void *context; /* handed back to the callbacks below */

  /* Now. Null: the system's clock. [the calling thread] */
  int64_t (*now)(void *context);

  /* One line for the server's log, valid during the call. Null: standard error. May call nothing
   * of this library. [the calling thread] */
  void (*log)(void *context, int level, const char *line);

  /* Directory of board rules, reloaded while the server runs. Null: none. */
  const char *rules;

  /* A directory in which all that these boards hold is kept; made when missing. It belongs to one
   * registry of one process at a time, and not to processes that are forked off. Null: in memory,
   * gone with the process. */
  const char *path;

  /* With a path: "tick" (null: this): each tick's writes are one transaction, on the disk soon
   * after; no call waits. "always": a write returns when it is on the disk. "none": as "tick", but
   * when the system likes: a machine that loses power may lose the whole file. */
  const char *durability;

  const laurel_remote *remotes; /* remote_count of them, at most 16 */
  size_t remote_count;
  double remote_timeout; /* how many seconds an answer of theirs is waited for, up to 60; 0: 2 */
} laurel_config;

/* One field of a board by the name that the Lua API has for it: {"shards", NULL, 16},
 * {"of", "paged", 0}, {"reset", "0 0 * * 1", 0}. The two of a window are "window.buckets" and
 * "window.seconds"; times are in seconds. */
typedef struct laurel_field {
  const char *name;
  const char *text; /* null: the value is `number` */
  double number;
} laurel_field;

/* A board's fields; see the Lua API for what each means. Null or zero: the default for a new board,
 * or as it was for one that exists. */
typedef struct laurel_spec {
  uint32_t struct_size;
  const char *engine;         /* "capped" | "ranked" | "padded" | "paged" | "sharded" | "rolling" */
  const char *order;          /* "desc" | "asc" */
  const char *keep;           /* "best" | "latest" | "sum" | "first" */
  const char *ties;           /* "earliest" | "latest" | "player" | "player_desc" */
  const char *ranking;        /* "competition" | "modified" | "dense" | "ordinal" */
  const char *decimals;       /* "0" to "9"; a string, since 0 is a value */
  const char *join;           /* "open" | "required" */
  const char *rule;           /* name of a rule */
  const char *meta;           /* at most 4,096 bytes */
  int64_t opens;              /* a time */
  int64_t closes;
  const laurel_field *fields; /* any others, field_count of them; taken in order, the last word
                               * counts */
  size_t field_count;
  const char *remote; /* the name of the remote where the board lives; null: here, or as it was */
} laurel_spec;

/* ---- writing and reading ------------------------------------------------------------------ */

/* What may come with a score. */
typedef struct laurel_details {
  uint32_t struct_size;
  const void *data; /* at most 1,024 bytes; null: none */
  size_t data_size;
  int64_t at;       /* when it happened, if has_at; else now */
  int32_t has_at;
} laurel_details;

typedef struct laurel_outcome {
  double score;    /* now held; NaN when not shown */
  int32_t changed; /* 1 when the entry is another than before */
  int32_t shown;   /* 0 when the player is below those whom a capped board shows; it takes what was
                    * padding, so hosts of before it existed are not written beyond */
} laurel_outcome;

/* One result of a batch; without data, and of now. */
typedef struct laurel_result {
  const char *player;
  double score;
  laurel_code code; /* filled by submit_all: LAUREL_OK, or why this one was refused */
} laurel_result;

/* An entry as it is read. `player` and `data` are valid until the next call that is given these
 * boards and is not a read. */
typedef struct laurel_board_entry {
  const char *player;
  size_t player_size;
  double score;
  uint64_t rank;
  int64_t at;
  const void *data; /* null: none */
  size_t data_size;
} laurel_board_entry;

/* How a registry stands with its disk; all zero, but for writable, in memory. */
typedef struct laurel_disk {
  uint32_t struct_size;
  int32_t writable;             /* 0 while writes are refused with LAUREL_UNAVAILABLE */
  uint64_t waiting_submissions; /* that changed something and are not on the disk yet */
  uint64_t waiting_bytes;
  double waiting_seconds;       /* since the oldest of them */
  uint64_t transactions;        /* that succeeded */
  uint64_t failures;            /* that did not */
  uint64_t file_bytes;
} laurel_disk;

/* ---- the live channel ---------------------------------------------------------------------- */

/* Who may connect. */
typedef int32_t laurel_auth;
enum {
  LAUREL_AUTH_USUAL = 0, /* open on loopback, token beyond */
  LAUREL_AUTH_OPEN = 1,  /* anyone who reaches the port */
  LAUREL_AUTH_TOKEN = 2  /* who shows a token, see token */
};

typedef struct laurel_serve_config {
  uint32_t struct_size;
  const char *bind;  /* an IPv4 address of this machine, or 0.0.0.0; null: "127.0.0.1" */
  uint16_t port;     /* 0: a free one, see live_port */
  uint32_t clients;  /* at most 4,000; 0: 1,024 */
  double rate;       /* updates a second at most, per subscription; 0: 20 */
  laurel_auth auth;
  int32_t checksum;  /* 1: ENet's, on every datagram; clients must have it set alike */
} laurel_serve_config;

/* A token as text with its zero: 40 hexadecimal digits. */
#define LAUREL_TOKEN_SIZE 41U

typedef struct laurel_connect_config {
  uint32_t struct_size;
  const char *host; /* null: "127.0.0.1" */
  uint16_t port;
  const char *token; /* of the server's drawing; null: none */
  /* In the token's place, where not null: gives one, valid until it is asked again, whenever one is
   * needed; null: not yet. Runs in client_tick. */
  const char *(*fetch_token)(void *context);
  void *context;
  int32_t checksum; /* as the server has it */
} laurel_connect_config;

/* Counters of a live channel's server. */
typedef struct laurel_live_counters {
  uint32_t struct_size;
  uint32_t clients; /* connected now */
  uint64_t subscriptions;
  uint64_t tickets; /* tokens not used up yet, and clients that may come again */
  uint64_t sent;    /* messages */
  uint64_t bytes;   /* in them */
  uint64_t denied;  /* connects without a token that is good */
  uint64_t garbage; /* datagrams of nobody's protocol */
  uint64_t closed;  /* connections that the server ended: slow, late, abuse, refused */
} laurel_live_counters;

/* A row of a client's window: exactly one state that the board had. */
typedef struct laurel_top_entry {
  const char *player;
  size_t player_size;
  const char *name; /* null: none is known */
  size_t name_size;
  double score;
  uint64_t rank;
} laurel_top_entry;

/* The top, or what is around the player, as it is now: `count` entries of a board that ranks `size`
 * players. `refusal` is null, or says why there is no top ("unknown: ...") and the rest is empty. All
 * of it is valid during the call. Runs in client_tick. */
typedef void (*laurel_on_top)(void *context, const char *board, const laurel_top_entry *entries,
                              size_t count, uint64_t size, uint64_t version,
                              const char *refusal);

/* ---- hosted scripts ------------------------------------------------------------------------ */

enum { LAUREL_NUMBER = 0, LAUREL_STRING = 1, LAUREL_BOOLEAN = 2 };

/* One value of an event. An event's name has 1 to 255 bytes, and it has at most 16 values. Strings
 * may hold any bytes and need no zero. */
typedef struct laurel_value {
  int32_t type;
  double number;      /* LAUREL_NUMBER; LAUREL_BOOLEAN: 0 or 1 */
  const char *string; /* LAUREL_STRING */
  size_t string_size;
} laurel_value;

typedef struct laurel_scripts_config {
  uint32_t struct_size;
  const char *directory; /* of *.lua files, each a gameplay script */
  void *context;         /* handed back to on_emit */

  /* A script called laurel.emit(event, ...). Everything is valid during the call. May answer with
   * emit, up to 16 within each other; may not close the boards or these scripts.
   * [the thread of tick, emit or host_scripts] */
  void (*on_emit)(void *context, const char *event, const laurel_value *values, size_t count);

  /* How many instructions one call into the scripts may run: 10,000 to 1,000,000,000, or
   * LAUREL_INVALID. 0: any number.
   *
   * Without a budget scripts are compiled by LuaJIT, and one that loops for ever hangs the server,
   * as any code of the game's would: compiled code cannot be interrupted. With one they run in
   * LuaJIT's interpreter. A call that runs more is interrupted by an error that no script can keep,
   * and logged with its traceback; everything else goes on, and the next call has all of it again.
   * One call is what the host begins: a load, a handler, a timer, a watch's callback; with all that
   * happens within it, answers of the host by emit included.
   *
   * What it costs, against compiled scripts: 0.15 us a call; a third more where a handler mostly
   * calls boards, two to four times where it mostly computes, eight times in the tightest loop. A million
   * instructions take some 3 ms; of calls into the library, each of which counts as a few, some
   * hundred.
   * What it does not end: work inside one function of C, such as a pattern that backtracks, or
   * string.rep; finalizers. Memory is not limited. Scripts find no jit.on and no debug.sethook. It
   * is a guard against mistakes, not a jail. */
  uint64_t instructions;
} laurel_scripts_config;

/* One counter by its name. May call nothing of this library. [the calling thread] */
typedef void (*laurel_on_counter)(void *context, const char *name, double value);

/* A rule whose file did not load, and why, with file and line. Valid during the call. May call
 * nothing of this library. [the calling thread] */
typedef void (*laurel_on_rule_error)(void *context, const char *rule, const char *error);

/* ---- the table ----------------------------------------------------------------------------- */

typedef struct laurel_api {
  uint32_t struct_size;
  uint32_t abi_version;
  const char *version; /* "0.2.0" */

  /* Opens a registry, in memory or in a directory; then it waits for the disk, and reads all of it
   * (some seconds for ten million entries). config may be null. Null when refused:
   * LAUREL_TAKEN       the directory is open already, here or in another process
   * LAUREL_BAD_DATA    its file is damaged, or not laurel's
   * LAUREL_UNSUPPORTED its file was written by a newer version
   * LAUREL_UNAVAILABLE the disk refuses
   * LAUREL_INVALID     durability, or a remote's name or URL: nobody is connected to yet
   * The host closes it. [game] */
  laurel_boards *(*open)(const laurel_config *config, laurel_error *error);

  /* Ends scripts and live channels of these boards, then the boards, when what they hold is on the
   * disk (flush says whether it is); who waits for an answer from elsewhere is told LAUREL_CLOSED.
   * Null is ignored. Must not be called from a callback. [game] */
  void (*close)(laurel_boards *boards);

  /* Once per server frame: reloads scripts and rules that changed, hands out the answers of boards
   * elsewhere, runs timers, watchers and rules' changed(), feeds the live channel, hands what was
   * written to the disk's own thread. Callbacks of scripts, and those that take an answer, run
   * inside. Never waits. [game] */
  void (*tick)(laurel_boards *boards);

  /* Opens the board of that name, or creates it with spec (null: all defaults). A field that
   * describes the stored order and differs from what the board has is LAUREL_INVALID. With a remote
   * it does not wait for that: <laurel/remote.h> says what follows. [game] */
  laurel_code (*board)(laurel_boards *boards, const char *name, const laurel_spec *spec,
                       laurel_board *out, laurel_error *error);

  /* The board of that name if there is one: 1, else 0. [game] */
  int32_t (*find)(laurel_boards *boards, const char *name, laurel_board *out);

  /* Deletes a board that lives here: 1, or 0 when there was none, or the disk refuses. [game] */
  int32_t (*drop)(laurel_boards *boards, const char *name);

  /* Hands in a result: the board's rule, then `keep`. details, out and error may be null.
   * O(log n), a microsecond; allocates only for new players. [game] */
  laurel_code (*submit)(laurel_boards *boards, laurel_board board, const char *player,
                        double score, const laurel_details *details, laurel_outcome *out,
                        laurel_error *error);

  /* Adds to the held score, or to 0, whatever `keep` says. As submit otherwise. */
  laurel_code (*add)(laurel_boards *boards, laurel_board board, const char *player,
                     double difference, const laurel_details *details, laurel_outcome *out,
                     laurel_error *error);

  /* A moderator's word: neither rule nor `keep`, and at any time. As submit otherwise. */
  laurel_code (*set)(laurel_boards *boards, laurel_board board, const char *player, double score,
                     const laurel_details *details, laurel_outcome *out, laurel_error *error);

  /* Hands in `count` results in order, writes each one's code, and returns how many changed an
   * entry. All are refused with LAUREL_UNKNOWN when there is no such board. [game]
   *
   * The one call that several threads may make at once, also on the same board, while nobody does
   * anything else with these boards: on boards with engine "sharded" of "ranked" that have no `rule`,
   * unless durability is "always".
   * Results of one call keep their order, those of different calls have none.
   * config.now and config.log may then be called by any of these threads. */
  size_t (*submit_all)(laurel_boards *boards, laurel_board board, laurel_result *results,
                       size_t count);

  /* Takes the entry off: 1, or 0 when there was none, or the disk refuses. [game] */
  int32_t (*remove)(laurel_boards *boards, laurel_board board, const char *player);

  /* Joins, leaves, bans, unbans: LAUREL_OK whether or not it was so already. [game] */
  laurel_code (*join)(laurel_boards *boards, laurel_board board, const char *player,
                      laurel_error *error);
  laurel_code (*leave)(laurel_boards *boards, laurel_board board, const char *player,
                       laurel_error *error);
  laurel_code (*ban)(laurel_boards *boards, laurel_board board, const char *player,
                     laurel_error *error);
  laurel_code (*unban)(laurel_boards *boards, laurel_board board, const char *player,
                       laurel_error *error);

  /* How many players are ranked; 0 when there is no such board. O(1). [game] */
  uint64_t (*size)(laurel_boards *boards, laurel_board board);

  /* 1 and the player's score, or 0 when not ranked, or not shown. score may be null. O(1) in memory.
   * [game] */
  int32_t (*score)(laurel_boards *boards, laurel_board board, const char *player, double *score);

  /* "211th of 1539": 1, the rank and the size, or 0 when not ranked. Either pointer may be null.
   * O(log n). [game] */
  int32_t (*rank)(laurel_boards *boards, laurel_board board, const char *player, uint64_t *rank,
                  uint64_t *size);

  /* Fills out, which has room for n, with the first n entries, best first, and returns how many there
   * were. O(n). [game] */
  size_t (*top)(laurel_boards *boards, laurel_board board, laurel_board_entry *out, size_t n);

  /* Fills out with entries from position `first` on (1 is the best). O(log n + n). [game] */
  size_t (*page)(laurel_boards *boards, laurel_board board, uint64_t first,
                 laurel_board_entry *out, size_t n);

  /* Starts the live channel's server, on a thread of its own. Null when refused: a port in use is
   * LAUREL_UNAVAILABLE and says which. Lives until live_close or close. [game] */
  laurel_live *(*serve)(laurel_boards *boards, const laurel_serve_config *config,
                        laurel_error *error);
  void (*live_close)(laurel_live *live);
  uint16_t (*live_port)(laurel_live *live);

  /* Lets clients see the first `top` (1 to 100) of a board, with each tick that changes it; with
   * entries' data where with_data is 1. [game] */
  laurel_code (*publish)(laurel_live *live, laurel_board board, uint32_t top, int32_t with_data,
                         laurel_error *error);
  void (*unpublish)(laurel_live *live, laurel_board board);

  /* 1 when every client that is connected has seen the newest state of each board that it follows;
   * a tick after the last change is enough where nothing is lost. [game] */
  int32_t (*live_settled)(laurel_live *live);

  /* A client of a live channel, here or elsewhere. Never waits: it connects, and reconnects, while
   * client_tick is called. Null when refused. The host closes it. [one thread a client] */
  laurel_client *(*connect)(const laurel_connect_config *config, laurel_error *error);
  void (*client_close)(laurel_client *client); /* not from on_top */

  /* Calls on_top at once and at each change with the board's first n (1 to 100); may come before the
   * connection stands. Subscribing again replaces. */
  laurel_code (*subscribe)(laurel_client *client, const char *board, uint32_t n,
                           laurel_on_top on_top, void *context, laurel_error *error);
  void (*unsubscribe)(laurel_client *client, const char *board);

  /* Serves the connection; calls back. Never waits. */
  void (*client_tick)(laurel_client *client);

  /* "connecting" | "connected" | "refused: ..." | "lost: ...". Valid until the next call that is
   * given this client. */
  const char *(*client_state)(laurel_client *client);

  /* Runs a directory of gameplay scripts on these boards, in a LuaJIT state of their own: loads every
   * *.lua file of it by name, and each that changed, came or went at a tick. What a file set up is
   * replaced as one, its handlers, timers, watches and live channels, of which one passes on to a
   * new version that calls boards:serve with the same options; laurel.state stays. A script that
   * fails is logged with file, line and traceback, leaves its last version running, and never
   * stops the others. Several directories may be hosted; each has a state of its own.
   * Null when refused: LAUREL_UNAVAILABLE, the directory cannot be read; LAUREL_INVALID, there can be
   * no such budget, or no directory was given. Ended by scripts_close or close. [game] */
  laurel_scripts *(*host_scripts)(laurel_boards *boards, const laurel_scripts_config *config,
                                  laurel_error *error);
  void (*scripts_close)(laurel_scripts *scripts); /* not from on_emit */

  /* Runs every handler that scripts have for the event, now, by script and then in the order of their
   * laurel.on. Returns how many ran, those that failed included; 0 and a line in the log where there
   * are too many values. [game] */
  size_t (*emit)(laurel_scripts *scripts, const char *event, const laurel_value *values,
                 size_t count);

  /* Waits until every write made so far is on the disk. LAUREL_UNAVAILABLE when the disk refuses:
   * then nothing more is taken (writes are refused with LAUREL_UNAVAILABLE, reads go on) until it
   * works again, which is tried by itself. LAUREL_OK at once for boards in memory. [game] */
  laurel_code (*flush)(laurel_boards *boards, laurel_error *error);

  /* Writes a consistent copy to a directory of its own, which another registry may open. Waits for
   * the disk. LAUREL_TAKEN when boards are there already; LAUREL_UNSUPPORTED for boards in memory.
   * [game] */
  laurel_code (*backup)(laurel_boards *boards, const char *directory, laurel_error *error);

  /* Every board, season, player and session as JSON lines, out to a file and in again. Importing
   * wants boards that do not exist here, else LAUREL_TAKEN; a broken file is LAUREL_BAD_DATA, names
   * the line, and changes nothing. Both wait for the disk. [game] */
  laurel_code (*export_to)(laurel_boards *boards, const char *file, laurel_error *error);
  laurel_code (*import_from)(laurel_boards *boards, const char *file, laurel_error *error);

  /* How far behind the disk is. Set out->struct_size first. [game] */
  void (*disk)(laurel_boards *boards, laurel_disk *out);

  /* Draws a token for a player's client, good for so many connections (1 to 1,000,000) begun within
   * so many seconds, and writes its text to out. A client that was let in is let in again for ten
   * minutes after it was lost, without another token. Durable where the boards are. LAUREL_BAD_PLAYER,
   * LAUREL_OUT_OF_RANGE, LAUREL_UNAVAILABLE. [game] */
  laurel_code (*token)(laurel_live *live, const char *player, double seconds, uint32_t uses,
                       char out[LAUREL_TOKEN_SIZE], laurel_error *error);

  /* Set out->struct_size first. [game] */
  void (*live_counters)(laurel_live *live, laurel_live_counters *out);

  /* Calls on_entries as subscribe does, with the player whose token the client shows and n (0 to 10)
   * above and n below; no entries while the player is not ranked. Where the server knows of no
   * token, once with "unsupported: ...". unsubscribe ends both. */
  laurel_code (*follow)(laurel_client *client, const char *board, uint32_t n,
                        laurel_on_top on_entries, void *context, laurel_error *error);

  /* Fills out, which has room for 2n + 1, with the player between n above and n below, and returns
   * how many there were; at an end the window slides so that 2n + 1 come where the board has them.
   * With n = 0 that is the player alone. 0 when not ranked. O(log n). [game] */
  size_t (*around)(laurel_boards *boards, laurel_board board, const char *player, size_t n,
                   laurel_board_entry *out);

  /* The number of the running season, from 1; 0 when there is no such board. [game] */
  uint64_t (*season)(laurel_boards *boards, laurel_board board);

  /* Ends the running season now, empty or not, and writes its number to *ended where that is not
   * null. [game] */
  laurel_code (*reset)(laurel_boards *boards, laurel_board board, uint64_t *ended,
                       laurel_error *error);

  /* As page, of a season that has ended; 0 when it is not kept (a spec's `archive` says how many
   * are, 1 unless told; archived of remote.h reads those in an archive). [game] */
  size_t (*archived)(laurel_boards *boards, laurel_board board, uint64_t season, uint64_t first,
                     laurel_board_entry *out, size_t n);

  /* What is known of a player; null leaves a name or an email as it is. Live channels show the name.
   * LAUREL_TAKEN: another player has the email. LAUREL_BAD_DATA: a name or email has 1 to 255 bytes.
   * [game] */
  laurel_code (*save_player)(laurel_boards *boards, const char *player, const char *name,
                             const char *email, laurel_error *error);

  /* Removes every trace of a player: entries, past seasons, name and email, sessions, bans. LAUREL_OK
   * whether or not there was any. O(boards and past seasons). [game] */
  laurel_code (*forget)(laurel_boards *boards, const char *player, laurel_error *error);

  /* Tells every counter of these boards, by the names that boards:stats() of the Lua API has. Names
   * live as long as the process. O(boards). [game] */
  void (*stats)(laurel_boards *boards, laurel_on_counter on_counter, void *context);

  /* Likewise of hosted scripts: scripts, handlers and timers in force now; versions loaded and
   * load_failed; calls of handlers and timers; failed, those and watches that an error ended;
   * interrupted, calls that spent their budget; emitted, events from scripts. O(scripts). [game] */
  void (*script_stats)(laurel_scripts *scripts, laurel_on_counter on_counter, void *context);

  /* Tries every rule's file again, changed or not, and tells of those that failed; on_error may be
   * null. Returns how many failed; their last versions stay in force. [game] */
  size_t (*reload_rules)(laurel_boards *boards, laurel_on_rule_error on_error, void *context);

  /* The calls on boards that live elsewhere: <laurel/remote.h>. */
  const struct laurel_remote_api *remote;

  /* Being told when the top of a board changed: <laurel/watch.h>. */
  const struct laurel_watch_api *watching;
} laurel_api;

/* The one entry symbol of the C interface: the table, or null when this library does not speak that
 * version. The table lives as long as the process. [any] */
const laurel_api *laurel_entry(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

/* ---- loading ------------------------------------------------------------------------------- */

/* For the one source file of a host that loads laurel.so by itself: define LAUREL_LOADER before
 * including this header, and link with -ldl where the C library wants it. */
#ifdef LAUREL_LOADER
#include <dlfcn.h>
#include <stdio.h>

/* The Lua of this process if it is one that laurel cannot run on; null: it is not, or there is none.
 * lua_pcall is a function of Lua 5.1 and LuaJIT only: later versions have lua_pcallk in its place. */
static inline const char *laurel_other_lua(void *process) {
  if (dlsym(process, "lua_pcallk")) {
    if (dlsym(process, "lua_numbertocstring")) return "Lua 5.5";
    if (dlsym(process, "lua_newuserdatauv")) return "Lua 5.4";
    return dlsym(process, "lua_rotate") ? "Lua 5.3" : "Lua 5.2";
  }
  if (dlsym(process, "lua_pcall")) return NULL;
  return dlsym(process, "lua_newstate") || dlsym(process, "lua_version") ? "a part of a Lua" : NULL;
}

/* Loads LuaJIT if the process has no Lua yet, then laurel.so, and returns its table. Null when
 * something is missing, or the process has another Lua than LuaJIT or Lua 5.1; `why` says what.
 * Nothing is ever unloaded. */
static inline const laurel_api *laurel_load(const char *path, char *why, size_t why_size) {
  typedef const laurel_api *(*entry_function)(uint32_t);
  union {
    void *symbol;
    entry_function call;
  } entry;
  const char *other;
  void *library;

  library = dlopen(NULL, RTLD_NOW); /* the process, with all that it shows */
  other = library ? laurel_other_lua(library) : NULL;
  if (other) { /* LuaJIT beside it would share its functions with it, and crash */
    snprintf(why, why_size,
             "this process has %s, and laurel runs on LuaJIT or Lua 5.1: a process has one Lua",
             other);
    return NULL;
  }
  if (!(library && dlsym(library, "lua_pcall")) &&
      !dlopen("libluajit-5.1.so.2", RTLD_NOW | RTLD_GLOBAL)) {
    snprintf(why, why_size, "cannot load LuaJIT: %s", dlerror());
    return NULL;
  }
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  entry.symbol = library ? dlsym(library, "laurel_entry") : NULL;
  if (!entry.symbol) {
    snprintf(why, why_size, "cannot load laurel: %s", dlerror());
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
