// process_limit.h - a limit of this process (setrlimit) during the lifetime of an object.
#pragma once

#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace laurel::crash {

class ProcessLimit {
 public:
  ProcessLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    REQUIRE(::getrlimit(resource_, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = value;
    REQUIRE(::setrlimit(resource_, &limit) == 0);
  }
  ~ProcessLimit() { ::setrlimit(resource_, &before_); }
  ProcessLimit(const ProcessLimit&) = delete;
  ProcessLimit& operator=(const ProcessLimit&) = delete;

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

// For RLIMIT_NOFILE: this process may open that many descriptors more.
inline rlim_t descriptors_left(unsigned more) {
  for (int number = 0;; ++number) {
    const bool is_free = ::fcntl(number, F_GETFD) < 0;
    if (is_free && more-- == 0) return static_cast<rlim_t>(number);
  }
}

// For RLIMIT_AS: this process may have that many bytes more.
inline rlim_t address_space_left(std::size_t more) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more;
}

}  // namespace laurel::crash
