// left_behind.h - what a process holds: to be compared before and after.
#pragma once

#include <cstddef>
#include <string>

namespace laurel::test {

struct Held {
  std::size_t threads = 0;
  std::string files;           // what the descriptors are, sorted, a line each
  std::size_t heap_bytes = 0;  // allocated and not freed
  std::size_t resident_bytes = 0;
};

// Of this process, now.
Held held();
// The names in a directory, sorted, a line each.
std::string names_in(const std::string& directory);

}  // namespace laurel::test
