/* live.h - more of the live channel: encrypted connections; entries with moments, rank changes and
 * scores of several columns; the list of published boards; and gateways, clients that serve others.
 * Part of the C interface; the conventions of laurel.h apply.
 *
 *   laurel_publish_config config = {sizeof config};
 *   config.top = 10;
 *   config.changes = 1;
 *   laurel->live->publish(live, season, &config, &error);
 *   ... in a client, which is opened, ticked and closed as in laurel.h:
 *   laurel->live->subscribe(client, "season_3", 10, on_window, NULL, &error);
 *   laurel->live->on_boards(client, on_boards, NULL, &error);
 *
 * Versions   Servers of 0.1.0 speak version 1 of the protocol. Calls that need a later version are
 *            refused with "unsupported: ...", and entries have no moments and no rank changes.
 *            Clients of 0.1.0 get "unknown: ..." for boards with columns or fractional ranks.
 * Limits     A client has at most 64 subscriptions, a gateway 1,024; at a server of 0.1.0 both have
 *            16. The callback of a further subscription gets the refusal "out_of_range: ...".
 * Encrypted  If the server requires tokens, a token of `token` below makes an encrypted connection:
 *            it carries the public key of the boards' server, which the client checks, and a secret
 *            that never crosses the network in clear. A token of laurel.h's `token`, or one with
 *            `clear`, makes a connection in clear, as in 0.1.0. A server with LAUREL_AUTH_OPEN
 *            gives out tokens in clear only.
 * Gateway    A client with a token of gateway_token. Only a gateway can follow any player, and ask
 *            which player a token belongs to. Other clients get the refusal "unsupported: ...".
 * Callbacks  run in client_tick. What a callback gets is valid until it returns. It may call
 *            anything except client_tick and client_close.
 */
#ifndef LAUREL_LIVE_H
#define LAUREL_LIVE_H

#include "columns.h"
#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a token as text, with a zero at its end. A token has at most 104 hexadecimal digits,
 * or 40 if it is in clear; "gateway-" precedes those of a gateway. */
#define LAUREL_LIVE_TOKEN_SIZE 105U
#define LAUREL_GATEWAY_TOKEN_SIZE 113U

typedef struct laurel_token_config {
  uint32_t struct_size;
  uint32_t uses; /* how many connections; 0: one. Ignored for gateways */
  int32_t clear; /* 1: a token in clear */
} laurel_token_config;

typedef struct laurel_publish_config {
  uint32_t struct_size;
  uint32_t top;    /* entries that clients may ask for, at most 100; 0: 100 */
  int32_t data;    /* 1: entries have their data */
  int32_t changes; /* 1: entries have rank changes, if the board has marks (marks.h) */
} laurel_publish_config;

/* One row of what a client follows. */
typedef struct laurel_live_entry {
  const char *player;
  size_t player_size;
  const char *name; /* null: none */
  size_t name_size;
  const char *data; /* null: none, or not published */
  size_t data_size;
  const double *score; /* one number, or one for each column of the board */
  double rank;         /* may end in .5 */
  double rank_change;  /* ranks climbed since the last mark; negative: fallen; NaN: not known */
  int64_t at;          /* when the score was attained, if has_at is not 0 */
  int32_t has_at;
} laurel_live_entry;

/* The current top of a board, or the entries around a player, from one state of the board. */
typedef struct laurel_live_window {
  uint32_t struct_size;
  uint32_t entry_size; /* the distance between two entries: sizeof(laurel_live_entry), or more */
  const char *board;
  const char *player;  /* that a gateway follows; null: the top, or the client's own player */
  const char *refusal; /* null; or why there is no window ("unknown: ..."): the rest is empty */
  const laurel_live_entry *entries;
  size_t count;
  uint64_t size; /* players ranked on the board */
  uint64_t version;
  const laurel_column *columns; /* of the board; none: a score is one number */
  size_t column_count;
} laurel_live_window;

typedef void (*laurel_on_window)(void *context, const laurel_live_window *window);

/* A published board. */
typedef struct laurel_listed_board {
  const char *board;
  size_t board_size;
  int32_t is_desc;  /* 1: high scores win; 0: low ones */
  int32_t decimals; /* -1: scores are numbers as they are */
  const laurel_column *columns;
  size_t column_count;
  const char *ranking; /* "competition", ... */
  const char *meta;    /* null: none */
  size_t meta_size;
  uint64_t size;   /* players ranked on it */
  uint64_t season; /* the running one; 0: not known, as for a remote board */
  int32_t has_resets_at;
  int32_t has_closes_at;
  int64_t resets_at;
  int64_t closes_at;
} laurel_listed_board;

/* The published boards, sorted by name, or why there are none. `board_size` is the distance between
 * two of them in bytes. */
typedef void (*laurel_on_boards)(void *context, const laurel_listed_board *boards, size_t count,
                                 size_t board_size, const char *refusal);

/* The player; or why there is none: "unknown: ...", "unsupported: ...", "unavailable: ...". */
typedef void (*laurel_on_player)(void *context, const char *player, const char *refusal);

typedef struct laurel_live_api {
  uint32_t struct_size;

  /* As publish of laurel.h. A null config has the defaults. [game] */
  laurel_code (*publish)(laurel_live *live, laurel_board board,
                         const laurel_publish_config *config, laurel_error *error);

  /* Creates a token for a gateway and writes its text to out. It is valid for any number of
   * connections, for `seconds`, or until it is revoked if that is 0. It is durable if the boards
   * are. A null config has the defaults. LAUREL_OUT_OF_RANGE, LAUREL_UNAVAILABLE. [game] */
  laurel_code (*gateway_token)(laurel_live *live, double seconds,
                               const laurel_token_config *config,
                               char out[LAUREL_GATEWAY_TOKEN_SIZE], laurel_error *error);

  /* Ends a gateway's token, and the connections that were made with it. LAUREL_UNKNOWN: the token
   * was not valid. [game] */
  laurel_code (*revoke_gateway_token)(laurel_live *live, const char *token, laurel_error *error);

  /* As subscribe of laurel.h, with more in each entry. Each of the two replaces the other. This and
   * the calls below are made on the client's thread, unless they say [game]. */
  laurel_code (*subscribe)(laurel_client *client, const char *board, uint32_t n,
                           laurel_on_window on_window, void *context, laurel_error *error);

  /* As follow of laurel.h. `player` is the player that a gateway follows; null: the token's. */
  laurel_code (*follow)(laurel_client *client, const char *board, uint32_t n, const char *player,
                        laurel_on_window on_window, void *context, laurel_error *error);

  /* Stops following that player. unsubscribe of laurel.h ends all subscriptions of a board. */
  void (*unfollow)(laurel_client *client, const char *board, const char *player);

  /* Calls back once, during the call, with the list of published boards that was received last; it
   * is empty at first. The client asks the server for the list from the first call of this function
   * or of on_boards on. */
  void (*boards)(laurel_client *client, laurel_on_boards on_boards, void *context);

  /* Calls back with the published boards when they are known, and at each change. A second call
   * replaces the callback. LAUREL_INVALID: it is null. */
  laurel_code (*on_boards)(laurel_client *client, laurel_on_boards on_boards, void *context,
                           laurel_error *error);

  /* The player of the client's token, valid until the next call with this client. Null while it is
   * not connected, and if the server knows none. */
  const char *(*player)(laurel_client *client);

  /* For gateways: asks which player a token belongs to. This spends no use of the token. Calls back
   * once, within 10 s. LAUREL_OUT_OF_RANGE: the token is empty or longer than 255 bytes.
   * LAUREL_UNAVAILABLE: 1,024 questions are not answered yet, or the server refused the client. */
  laurel_code (*player_of)(laurel_client *client, const char *token, laurel_on_player on_player,
                           void *context, laurel_error *error);

  /* As token of laurel.h, for an encrypted connection. A null config has the defaults. [game] */
  laurel_code (*token)(laurel_live *live, const char *player, double seconds,
                       const laurel_token_config *config, char out[LAUREL_LIVE_TOKEN_SIZE],
                       laurel_error *error);
} laurel_live_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_LIVE_H */
