// long_form.h - tests of random histories have a short form, for every run, and a long one, for
// `./tests/run --long`. Under ThreadSanitizer the short form is a quarter: it is slow, and a race
// that a quarter of the histories does not meet is seldom met by all of them.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace laurel {

inline bool long_form() { return std::getenv("LAUREL_LONG") != nullptr; }

template <typename T>
T short_or_long(T in_short, T in_long) {
#if defined(__SANITIZE_THREAD__)
  if (!long_form()) return std::max(static_cast<T>(in_short / 4), T{1});
#endif
  return long_form() ? in_long : in_short;
}

}  // namespace laurel
