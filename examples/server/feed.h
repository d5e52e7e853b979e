/* feed.h - a source of game events for the gameplay scripts.
 *
 * A feed is a computed race or a file of match events. Its progress goes from 0 to 1. Once a tick
 * the server requests the events up to a progress, and passes them to the scripts.
 */
#ifndef EXAMPLES_SERVER_FEED_H
#define EXAMPLES_SERVER_FEED_H

#include <laurel/laurel.h>
#include <stddef.h>

typedef struct feed feed;
struct feed {
  /* Calls emit for every event since the last call, up to `progress` (0 to 1). */
  void (*play)(feed *self, double progress,
               void (*emit)(void *context, const char *event, const laurel_value *values,
                            size_t count),
               void *context);
  /* The progress as text: "19.5 of 24 hours". Valid until the next call. */
  const char *(*describe)(feed *self);
  void (*close)(feed *self);

  const char *board;  /* the board of its gameplay script */
  const char *follow; /* a player whose rank is printed, or null */
};

/* A 24-hour race of 1,539 runners: events "stride"(runner, kilometres). Always the same. */
feed *race_open(void);

/* A CSV file of match events: events "goal"(scorer, team, time, own_goal, penalty).
 * Prints why and returns null if the file cannot be read. Skips lines that are not valid, and
 * prints their numbers. */
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
