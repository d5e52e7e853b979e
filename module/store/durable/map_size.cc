#include "store/durable/map_size.h"

#include <algorithm>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"

namespace laurel {

namespace {

// Room for changes beside what the file has.
constexpr std::size_t kRoomBytes = std::size_t{1} << 20;

// What the process has of address space, or 0 if the system does not say.
std::size_t address_space_used() {
  unsigned long long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// What the process may still have; nullopt if there is no limit.
std::optional<std::size_t> address_space_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::size_t used = address_space_used();
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::size_t first_map_bytes(std::size_t file_bytes, std::size_t max) {
  const std::optional<std::size_t> left = address_space_left();
  const std::size_t wanted = left ? *left / 2 : max;
  return std::min(std::max({wanted, file_bytes + kRoomBytes, kStoreMapBytesMin}), max);
}

std::optional<std::size_t> grown_map_bytes(std::size_t bytes, std::size_t max) {
  if (bytes >= max) return std::nullopt;
  const std::optional<std::size_t> left = address_space_left();
  if (!left) return std::min(2 * bytes, max);
  if (*left < 2 * kStoreMapBytesMin) return std::nullopt;  // the rest is the host's
  return std::min(bytes + std::min(bytes, *left / 2), max);
}

}  // namespace laurel
