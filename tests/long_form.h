// long_form.h - tests of random histories have a short form, for every run, and a long one, for
// `./tests/run --long`.
#pragma once

#include <cstdlib>

namespace laurel {

inline bool long_form() { return std::getenv("LAUREL_LONG") != nullptr; }

template <typename T>
T short_or_long(T in_short, T in_long) {
  return long_form() ? in_long : in_short;
}

}  // namespace laurel
