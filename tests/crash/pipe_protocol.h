// pipe_protocol.h - what a writer that will be killed reports to its parent, record by record
// through a pipe. A record stays in the pipe when the writer is killed.
#pragma once

#include <cstdint>

namespace laurel::crash {

struct Told {
  enum What : std::uint64_t { begun, acknowledged };

  What what = begun;
  std::uint64_t number = 0;  // of an operation
};

}  // namespace laurel::crash
