#include "store/check/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;  // stays in a core's cache

// Reads the whole file; returns 0 or errno.
int read_through(int fd, std::size_t size) {
  std::vector<char> chunk(kChunkBytes);
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = ::pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;  // the file was truncated meanwhile
    at += static_cast<std::size_t>(got);
  }
  return 0;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& file) {
  // O_NONBLOCK: opening a pipe of that name would block until it has a writer.
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (fd.get() < 0 || ::fstat(fd.get(), &facts) != 0) return file_failure("reading", file, errno);
  if (!S_ISREG(facts.st_mode)) {
    return Refusal(Code::unavailable, "\"{}\" is no file", escaped(file, 120));
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return MappedFile("", 0);  // an empty range cannot be mapped

  if (const int error = read_through(fd.get(), size); error != 0)
    return file_failure("reading", file, error);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return file_failure("reading", file, errno);
  return MappedFile(static_cast<const char*>(at), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : at_(std::exchange(other.at_, "")), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<char*>(at_), size_);
}

}  // namespace laurel
