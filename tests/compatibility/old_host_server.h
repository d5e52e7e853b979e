/* old_host_server.h - shared by old_host.c and old_host_callbacks.c: the server that plays, and
 * checks that report their line. */
#ifndef COMPATIBILITY_OLD_HOST_SERVER_H
#define COMPATIBILITY_OLD_HOST_SERVER_H

#include "old_host.h"

enum { PATH_BYTES = 512 };

#define TEXT_OF_(line) #line
#define TEXT_OF(line) TEXT_OF_(line)
#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) return __FILE__ ":" TEXT_OF(__LINE__) ": " #condition; \
  } while (0)
#define PASSES(call)              \
  do {                            \
    const char* failed_ = (call); \
    if (failed_) return failed_;  \
  } while (0)

typedef struct server {
  const laurel_api* laurel;
  const char* folder;
  laurel_boards* boards;
  laurel_board season; /* a board with a default spec */
  int64_t now;
  int lines;       /* number of log lines */
  char heard[256]; /* the last values passed to a callback */
  int calls;       /* number of callbacks */
} server;

/* The path of something in the server's folder. */
const char* old_host_path(const server* self, const char* name, char out[PATH_BYTES]);
/* 1 if a file with that name and text was written to the folder. */
int old_host_writes(const server* self, const char* name, const char* text);

/* From old_host_callbacks.c. They return null, or the failed check. */
const char* old_host_hosts_scripts(server* self);
const char* old_host_watches(server* self);
const char* old_host_serves(server* self);
const char* old_host_asks_a_remote(server* self);

#endif
