// check_threads.h - how many threads share the check of a file.
//
//   one  entries are visited in key order.
//   two  both threads visit entries, at once. Entries are in key order only within parts of the
//        file; what is found, and what is reported of a damaged file, is the same.
#pragma once

#include <cstdint>

namespace laurel {

enum class CheckThreads : std::uint8_t { one, two };

}  // namespace laurel
