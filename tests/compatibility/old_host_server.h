/* old_host_server.h - what old_host.c and old_host_callbacks.c share: the server that plays, and
 * checks that name their line. */
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
  laurel_board season; /* a board with everything as it is by default */
  int64_t now;
  int lines;       /* of the log */
  char heard[256]; /* what callbacks were told last */
  int calls;       /* of callbacks */
} server;

/* The path of something in the server's folder. */
const char* old_host_path(const server* self, const char* name, char out[PATH_BYTES]);
/* 1 when a file of that name and text is in the folder. */
int old_host_writes(const server* self, const char* name, const char* text);

/* old_host_callbacks.c: null, or what was not as it is to be. */
const char* old_host_hosts_scripts(server* self);
const char* old_host_watches(server* self);
const char* old_host_serves(server* self);
const char* old_host_asks_a_remote(server* self);

#endif
