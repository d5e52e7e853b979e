/* old_host.h - a game server in C, compiled with the headers of 0.1.0. */
#ifndef COMPATIBILITY_OLD_HOST_H
#define COMPATIBILITY_OLD_HOST_H

#include <laurel/laurel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens boards in the folder, which is empty, plays, and closes them. Returns null if everything
 * was as 0.1.0's headers say; otherwise the failed check with its line. */
const char* old_host_plays(const laurel_api* laurel, const char* folder);

#ifdef __cplusplus
}
#endif

#endif
