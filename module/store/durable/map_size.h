// map_size.h - the address space with which a file is mapped.
//
//   unlimited  the maximum: address space costs nothing until it is used.
//   limited    (RLIMIT_AS, LimitAS of systemd, ulimit -v) half of what the process has left, so
//              that the memory of the host fits beside it. A file that outgrows its map gets one of
//              twice the size, or half of what is left, until little is left.
//   threads    any.
#pragma once

#include <cstddef>
#include <optional>

namespace laurel {

// For a file that is opened. At least kStoreMapBytesMin, and as much as the file needs, even if the
// process may not have that much.
std::size_t first_map_bytes(std::size_t file_bytes, std::size_t max);

// After a map of `bytes` became too small; nullopt if the process may not have a larger one.
std::optional<std::size_t> grown_map_bytes(std::size_t bytes, std::size_t max);

}  // namespace laurel
