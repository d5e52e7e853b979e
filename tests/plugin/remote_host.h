/* remote_host.h - a host in C11 with remote boards: two game servers share one board. */
#ifndef LAUREL_TESTS_REMOTE_HOST_H
#define LAUREL_TESTS_REMOTE_HOST_H

#include <laurel/remote.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plays on a board of that name in the remote with this URL. Returns null, or the check that
 * failed. */
const char* play_remote(const laurel_api* laurel, const char* url, const char* board);

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_TESTS_REMOTE_HOST_H */
