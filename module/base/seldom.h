// seldom.h - a member that most objects of a class have no use for: made when it is first filled.
//
//   memory   a pointer until then, and the value besides from then on.
//   threads  as T.
#pragma once

#include <memory>

#include "base/immortal.h"

namespace laurel {

template <typename T>
class Seldom {
 public:
  explicit operator bool() const { return value_ != nullptr; }  // whether it was ever filled
  // To be read; of what was never filled, an empty one.
  const T& get() const { return value_ ? *value_ : immortal_empty<T>(); }
  const T* operator->() const { return &get(); }
  // To be filled.
  T& made() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace laurel
