// allocations.h - how often the program has asked for memory: by new, malloc, calloc, realloc,
// aligned_alloc or posix_memalign. The program's malloc is replaced for it; under a sanitizer its
// own hook counts.
//
// LuaJIT takes its states' memory from the system itself, so what a script allocates does not
// count.
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
