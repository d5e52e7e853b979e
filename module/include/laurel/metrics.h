/* metrics.h - what a server measures, as text for Prometheus. Part of the C interface; the
 * conventions of laurel.h apply.
 *
 *   size_t size;
 *   const char *text = laurel->metrics->text(boards, &size);
 *   answer(request, "text/plain; version=0.0.4", text, size);
 *
 * File     laurel_config's `metrics` names a file that the library writes by itself, for
 *          node_exporter's textfile collector: within a second of open, then every
 *          metrics_seconds, at a tick. It is replaced as a whole, by a thread that waits for the
 *          disk. close writes it once more, with laurel_up 0. Its mode is 0644.
 * Names    laurel_submissions_total, laurel_tick_seconds, ...: the table is in operating.md.
 * Threads  [game]
 */
#ifndef LAUREL_METRICS_H
#define LAUREL_METRICS_H

#include "laurel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct laurel_metrics_api {
  uint32_t struct_size;

  /* The text in the exposition format, with a zero byte at its end; *size, unless size is null, is
   * its length without that. Valid until the next call of text on these boards. O(boards). Null if
   * there is no memory for it. */
  const char *(*text)(laurel_boards *boards, size_t *size);
} laurel_metrics_api;

#ifdef __cplusplus
}
#endif

#endif /* LAUREL_METRICS_H */
