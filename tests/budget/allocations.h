// allocations.h - counts how often the program allocates memory: by new, malloc, calloc, realloc,
// aligned_alloc or posix_memalign. The program's malloc is replaced for this; under a sanitizer its
// hook counts.
//
// LuaJIT gets its states' memory from the system, so the allocations of scripts do not count.
#pragma once

#include <cstddef>

namespace laurel::test {

std::size_t allocations();

template <typename Work>
std::size_t allocations_of(const Work& work) {
  const std::size_t before = allocations();
  work();
  return allocations() - before;
}

}  // namespace laurel::test
