// invariant.h - an assertion for the structure checks of tests.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace laurel {

// Aborts also in release builds, since a check() has no other purpose.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "laurel: broken: %s\n", what);
  std::abort();
}

}  // namespace laurel
