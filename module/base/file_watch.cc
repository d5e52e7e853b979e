#include "base/file_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>

#include "base/file_descriptor.h"

namespace laurel {

namespace {

std::int64_t nanoseconds(const timespec& t) {
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

FileStamp stamp_of(const struct stat& s) {
  return {.device = s.st_dev,
          .inode = s.st_ino,
          .size = static_cast<std::uint64_t>(s.st_size),
          .mtime_ns = nanoseconds(s.st_mtim),
          .ctime_ns = nanoseconds(s.st_ctim)};
}

// Ages are measured by the clock that stamps the files. If that clock was set back, files are fresh
// until it has caught up, and each check reads them.
bool is_fresh(const FileStamp& stamp) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - stamp.ctime_ns < kFreshNs;
}

// Reads to the end, but at most bytes_max + 1 bytes: then the caller knows that the file is too
// large. `expected` is the size according to fstat.
bool read_all(int fd, std::size_t expected, std::size_t bytes_max, std::string& out) {
  std::size_t size = 0;
  out.resize(expected + 1);
  while (size <= bytes_max) {
    if (size == out.size()) out.resize(std::min(2 * size, bytes_max + 1));
    const ssize_t n = ::read(fd, out.data() + size, out.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  out.resize(size);
  return true;
}

}  // namespace

FileWatch::FileWatch(std::string path, std::size_t bytes_max)
    : path_(std::move(path)), bytes_max_(bytes_max) {}

void FileWatch::forget() {
  told_.reset();
  trusted_.reset();
  has_content_ = false;
}

FileNews FileWatch::poll() {
  struct stat status {};
  if (trusted_ && ::stat(path_.c_str(), &status) == 0 && stamp_of(status) == *trusted_) {
    return FileNews::same;
  }
  return read();
}

FileNews FileWatch::read() {
  trusted_.reset();
  // O_NONBLOCK: a pipe without a writer would block the server.
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno != ENOENT && errno != ENOTDIR) return fail(std::strerror(errno));
    const bool news = told_ != FileNews::gone;
    told_ = FileNews::gone;
    return news ? FileNews::gone : FileNews::same;
  }

  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return fail(std::strerror(errno));
  const FileStamp stamp = stamp_of(status);
  // The stamp is taken before the content is read: a write during the read changes the stamp,
  // unless the stamp is fresh, and fresh stamps are not trusted.
  if (!is_fresh(stamp)) trusted_ = stamp;
  if (!S_ISREG(status.st_mode)) return fail("it is not a regular file");
  if (stamp.size > bytes_max_) {
    return fail(fmt::format("it has {} bytes; at most {} are allowed", stamp.size, bytes_max_));
  }

  std::string content;
  if (!read_all(file.get(), stamp.size, bytes_max_, content)) {
    trusted_.reset();
    return fail(std::strerror(errno));
  }
  if (content.size() > bytes_max_) {
    return fail(fmt::format("it has more than {} bytes", bytes_max_));
  }
  told_ = FileNews::changed;
  if (has_content_ && content == content_) return FileNews::same;
  has_content_ = true;
  content_ = std::move(content);
  return FileNews::changed;
}

FileNews FileWatch::fail(std::string problem) {
  if (told_ == FileNews::unreadable && problem == problem_) return FileNews::same;
  told_ = FileNews::unreadable;
  problem_ = std::move(problem);
  return FileNews::unreadable;
}

bool DirectoryWatch::may_have_changed() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    trusted_.reset();
    return true;
  }
  const FileStamp stamp = stamp_of(status);
  if (trusted_ == stamp) return false;
  trusted_.reset();
  if (!is_fresh(stamp)) trusted_ = stamp;
  return true;
}

}  // namespace laurel
