// lazy_ptr.h - a member that most objects do not need: it is allocated when it is first written.
//
//   memory   one pointer before that; after it, also the value.
//   threads  as T.
#pragma once

#include <memory>

#include "base/no_destructor.h"

namespace laurel {

template <typename T>
class LazyPtr {
 public:
  explicit operator bool() const {
    return value_ != nullptr;
  }  // whether get_or_create() was called
  // For reading: an empty value if get_or_create() was never called.
  const T& get() const { return value_ ? *value_ : empty_instance<T>(); }
  const T* operator->() const { return &get(); }
  // For writing: allocates the value at the first call.
  T& get_or_create() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace laurel
