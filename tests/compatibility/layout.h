/* layout.h - the layout of the C interface as a host sees it. layout.c is compiled twice: with
 * 0.1.0's headers, and with today's. */
#ifndef COMPATIBILITY_LAYOUT_H
#define COMPATIBILITY_LAYOUT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum layout_kind {
  LAYOUT_FIXED, /* a struct of constant size */
  LAYOUT_GROWS, /* a struct that begins with struct_size */
  LAYOUT_MEMBER,
  LAYOUT_VALUE
} layout_kind;

typedef struct layout_fact {
  layout_kind kind;
  const char* name;
  size_t offset; /* of a member */
  size_t size;   /* of a struct or a member; or the value */
} layout_fact;

/* Both have the same names in the same order. */
extern const layout_fact layout_0_1_0[];
extern const layout_fact layout_today[];
extern const size_t layout_0_1_0_count;
extern const size_t layout_today_count;

#ifdef __cplusplus
}
#endif

#endif
