// no_destructor.h - a reference to an empty value that lives as long as the process.
//
//   threads  any. The value is never destroyed, because other threads may still read it when one
//            thread ends the process.
#pragma once

namespace laurel {

template <typename T>
const T& empty_instance() {
  union NoDestructor {
    NoDestructor() : value() {}
    ~NoDestructor() {}  // NOLINT(modernize-use-equals-default): must not destroy the value
    T value;
  };
  static const NoDestructor empty;
  return empty.value;
}

}  // namespace laurel
