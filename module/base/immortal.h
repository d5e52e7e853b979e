// immortal.h - an empty value to refer to, for as long as the process lives.
//
//   threads  free. It is never destroyed: a thread may end the process while others still read.
#pragma once

namespace laurel {

template <typename T>
const T& immortal_empty() {
  union Immortal {
    Immortal() : value() {}
    ~Immortal() {}  // NOLINT(modernize-use-equals-default): the value's must not run
    T value;
  };
  static const Immortal empty;
  return empty.value;
}

}  // namespace laurel
