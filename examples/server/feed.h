/* feed.h - what happens in the game: a source of events for the gameplay scripts.
 *
 * A feed plays from 0 to 1, whatever it plays: a race that is computed, or a file of match events.
 * The server asks it once a tick for everything up to a moment, and hands the events on.
 */
#ifndef EXAMPLES_SERVER_FEED_H
#define EXAMPLES_SERVER_FEED_H

#include <laurel/laurel.h>
#include <stddef.h>

typedef struct feed feed;
struct feed {
  /* Hands every event after the last call and up to `progress` (0 to 1) to emit. */
  void (*play)(feed *self, double progress,
               void (*emit)(void *context, const char *event, const laurel_value *values,
                            size_t count),
               void *context);
  /* How far it is, in words: "19.5 of 24 hours". Valid until the next call. */
  const char *(*describe)(feed *self);
  void (*close)(feed *self);

  const char *board;  /* the board that its gameplay script keeps */
  const char *follow; /* one player whose rank is told, or null */
};

/* A 24-hour race of 1,539 runners: events "stride"(runner, kilometres). Always the same. */
feed *race_open(void);

/* A CSV file of match events: events "goal"(scorer, team, time, own_goal, penalty).
 * Null when it cannot be read, after a line that says why. A line of the file that makes no sense is
 * told with its number, and left out. */
feed *match_file_open(const char *path);

static inline laurel_value number_value(double number) {
  laurel_value value = {LAUREL_NUMBER, number, NULL, 0};
  return value;
}
static inline laurel_value boolean_value(int truth) {
  laurel_value value = {LAUREL_BOOLEAN, truth != 0, NULL, 0};
  return value;
}
static inline laurel_value string_value(const char *string, size_t size) {
  laurel_value value = {LAUREL_STRING, 0, string, size};
  return value;
}

#endif
