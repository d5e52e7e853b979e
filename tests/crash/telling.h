// telling.h - what a writer that is to be killed tells its parent, record by record through a pipe:
// what was told before the end is in the pipe, whatever became of the writer.
#pragma once

#include <cstdint>

namespace laurel::crash {

struct Told {
  enum What : std::uint64_t { begun, acknowledged };

  What what = begun;
  std::uint64_t number = 0;  // of an operation
};

}  // namespace laurel::crash
