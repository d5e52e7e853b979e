// invariant.h - for the checks of whole structures that tests ask for.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace laurel {

// An assertion that release builds keep: a check is only ever called to be told.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "laurel: broken: %s\n", what);
  std::abort();
}

}  // namespace laurel
