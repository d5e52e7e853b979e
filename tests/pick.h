// pick.h - one of several values, at random.
#pragma once

#include <initializer_list>
#include <random>

namespace laurel::test {

template <typename T>
T pick(std::mt19937_64& random, std::initializer_list<T> choices) {
  return *(choices.begin() + random() % choices.size());
}

}  // namespace laurel::test
