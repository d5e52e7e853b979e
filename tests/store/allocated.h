// allocated.h - how much memory the program has from `new` at the moment, by the allocator's own
// account. The program's operator new is replaced for it.
#pragma once

#include <cstddef>

namespace laurel {

std::size_t allocated();

}  // namespace laurel
