// allocated.h - the memory currently allocated with `new`, as the allocator counts it. The
// program's operator new is replaced for this.
#pragma once

#include <cstddef>

namespace laurel {

std::size_t allocated();

}  // namespace laurel
