/* The layout of all that 0.1.0's headers name, compiled with the headers of LAYOUT's version. */
#include "layout.h"

#include <laurel/laurel.h>
#include <laurel/remote.h>
#include <laurel/watch.h>

#define FIXED(name) {LAYOUT_FIXED, #name, 0, sizeof(name)},
#define GROWS(name) {LAYOUT_GROWS, #name, 0, sizeof(name)},
#define MEMBER(in, name) \
  {LAYOUT_MEMBER, #in "." #name, offsetof(in, name), sizeof(((in *)NULL)->name)},
#define VALUE(name) {LAYOUT_VALUE, #name, 0, name},

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

const layout_fact LAYOUT[] = {
#include "layout_0_1_0.inc"
};
const size_t JOINED(LAYOUT, _count) = sizeof LAYOUT / sizeof *LAYOUT;
