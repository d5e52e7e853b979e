#include "store/file_failure.h"

#include <cerrno>
#include <cstring>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

// The facts about the disk with the file, or with its directory if it does not exist yet.
bool find_disk(const std::string& file, struct statvfs& facts) {
  if (::statvfs(file.c_str(), &facts) == 0) return true;
  const std::size_t slash = file.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  return ::statvfs(directory.c_str(), &facts) == 0;
}

// The space that this process may still use; more than enough if it is not known.
std::uint64_t free_bytes(const std::string& file) {
  struct statvfs facts {};
  if (!find_disk(file, facts)) return kStoreDiskFullBytes;
  const std::uint64_t blocks = ::geteuid() == 0 ? facts.f_bfree : facts.f_bavail;
  return blocks * facts.f_frsize;
}

bool is_as_large_as_allowed(const std::string& file) {
  rlimit limit{};
  struct stat facts {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  if (::stat(file.c_str(), &facts) != 0) return false;
  return static_cast<rlim_t>(facts.st_size) + kStoreDiskFullBytes > limit.rlim_cur;
}

std::string reason_of(const std::string& file, int error) {
  if (error == ENOSPC || error == EIO) {
    const std::uint64_t free = free_bytes(file);
    if (free < kStoreDiskFullBytes)
      return fmt::format("the disk is full, {} KB are free", free >> 10);
    if (error == ENOSPC) {
      return fmt::format("the disk is full although {} KB are free: it may lack inodes",
                         free >> 10);
    }
  }
  if (error == EFBIG || (error == EIO && is_as_large_as_allowed(file))) {
    return "this process may write no larger file (RLIMIT_FSIZE, ulimit -f)";
  }
  if (error == EMFILE) {
    return "this process has reached its limit of open files (RLIMIT_NOFILE, ulimit -n)";
  }
  if (error == ENFILE) return "this machine has reached its limit of open files";
  if (error == ENOMEM) {
    return "this process has no memory or address space left (RLIMIT_AS, ulimit -v)";
  }
  return std::strerror(error);
}

}  // namespace

Refusal file_failure(std::string_view doing, const std::string& file, int error) {
  return {Code::unavailable, "{} \"{}\": {}", doing, escaped(file, 120), reason_of(file, error)};
}

}  // namespace laurel
