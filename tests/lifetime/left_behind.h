// left_behind.h - the resources that a process holds, to compare before and after.
#pragma once

#include <cstddef>
#include <string>

namespace laurel::test {

struct Held {
  std::size_t threads = 0;
  std::string files;           // the targets of the descriptors, sorted, one per line
  std::size_t heap_bytes = 0;  // allocated and not freed
  std::size_t resident_bytes = 0;
};

// The resources of this process, now.
Held held();
// The names in a directory, sorted, one per line.
std::string names_in(const std::string& directory);

}  // namespace laurel::test
