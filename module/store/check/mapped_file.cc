#include "store/check/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;  // stays in a core's cache

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& file) {
  // O_NONBLOCK: opening a pipe of that name would block until it has a writer.
  FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (fd.get() < 0 || ::fstat(fd.get(), &facts) != 0) return file_failure("reading", file, errno);
  if (!S_ISREG(facts.st_mode)) {
    return Refusal(Code::unavailable, "\"{}\" is no file", escaped(file, 120));
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  // An empty range cannot be mapped.
  if (size == 0) return MappedFile(file, std::move(fd), "", 0);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return file_failure("reading", file, errno);
  return MappedFile(file, std::move(fd), static_cast<const char*>(at), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::move(other.fd_)),
      at_(std::exchange(other.at_, "")),
      size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<char*>(at_), size_);
}

Status MappedFile::read(std::size_t first, std::size_t bytes) const {
  if (first >= size_) return Done{};
  const std::size_t end = first + std::min(bytes, size_ - first);
  std::vector<char> chunk(std::min(kChunkBytes, end - first));
  for (std::size_t at = first; at < end;) {
    const std::size_t wanted = std::min(chunk.size(), end - at);
    const ssize_t got = ::pread(fd_.get(), chunk.data(), wanted, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failure("reading", name_, errno);
    if (got == 0) return file_failure("reading", name_, EIO);  // the file was truncated meanwhile
    at += static_cast<std::size_t>(got);
  }
  return Done{};
}

}  // namespace laurel
