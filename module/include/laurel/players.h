/* players.h - what is known of players, and their names beside entries. Part of the C interface;
 * the conventions of laurel.h apply, which has save_player and forget.
 *
 *   size_t i, n = laurel->top(boards, season, top, 10);
 *   for (i = 0; i < n; ++i) {
 *     const char *name = laurel->players->name(boards, top[i].player, top[i].player_size, NULL);
 *     printf("%d %s\n", (int)top[i].rank, name ? name : "?");
 *   }
 *
 * Threads    [game] for all calls.
 */
#ifndef LAUREL_PLAYERS_H
#define LAUREL_PLAYERS_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a game says about a player besides name and email: country, clan. A name has 1 to 64 bytes,
 * a value 1 to 255. This struct never grows. */
typedef struct laurel_attribute {
  const char *name;
  const char *value;
} laurel_attribute;

/* A player's profile. Its strings end with a zero, and are valid until the next call of profile or
 * by_email on these boards. */
typedef struct laurel_profile {
  uint32_t struct_size;
  const char *player;
  size_t player_size;
  const char *name; /* null: none */
  size_t name_size;
  const char *email; /* null: none */
  size_t email_size;
  double lifetime_score; /* of all sessions, which scripts record */
  uint64_t games_played; /* number of sessions */
  int64_t created_at;
  int64_t updated_at;
  const laurel_attribute *attributes; /* sorted by name; null: none */
  size_t attributes_count;            /* at most 16 */
} laurel_profile;

typedef struct laurel_players_api {
  uint32_t struct_size;

  /* The name that save_player saved, or null. Reads player_size bytes of `player`, so that the
   * player of an entry can be passed as it is. The name ends with a zero and is valid until the
   * next call of name on these boards. Its size is written to *name_size unless that is null,
   * because a name may contain any bytes. A cache keeps 65,536 names; other names take O(log n). */
  const char *(*name)(laurel_boards *boards, const char *player, size_t player_size,
                      size_t *name_size);

  /* 1 and the player's profile; 0 if nothing is known of the player. Set out->struct_size first. */
  int32_t (*profile)(laurel_boards *boards, const char *player, laurel_profile *out);
  int32_t (*by_email)(laurel_boards *boards, const char *email, laurel_profile *out);

  /* Moves everything of a player to an id that has nothing yet: entries with their moments, also in
   * past seasons, joins, bans, attempts, history, profile, sessions and live tokens. Writes to
   * *renamed, unless that is null, 1, or 0 if `from` has nothing.
   *   LAUREL_BAD_PLAYER   an id is not valid
   *   LAUREL_TAKEN        `to` has something
   *   LAUREL_UNSUPPORTED  remotes keep boards of this registry
   *   LAUREL_UNAVAILABLE  the disk fails, or an archive is copying a season of the player
   * O(boards and past seasons). */
  laurel_code (*rename)(laurel_boards *boards, const char *from, const char *to, int32_t *renamed,
                        laurel_error *error);

  /* Sets the player's attributes to these values. A null value removes an attribute. Attributes
   * that are not named stay. Creates an unknown player.
   *   LAUREL_BAD_PLAYER   the id is not valid
   *   LAUREL_BAD_DATA     a name or a value is not valid, more than 32 are given, or the player
   *                       would have more than 16
   *   LAUREL_UNAVAILABLE  the disk fails
   * O(log n). */
  laurel_code (*set_attributes)(laurel_boards *boards, const char *player,
                                const laurel_attribute *attributes, size_t attributes_count,
                                laurel_error *error);
} laurel_players_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_PLAYERS_H */
