#include "store/durable/lock_file.h"

#include <cerrno>
#include <fcntl.h>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "store/file_failure.h"

namespace laurel {

std::string lock_file_of(const std::string& file) { return file + "-lock"; }

// A larger file is another program's. LMDB uses its slots from the first on, so the others are not
// touched.
Status allocate_lock_file(const std::string& file) {
  const std::string name = lock_file_of(file);
  const FileDescriptor lock(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.get() < 0) return file_failure("opening", name, errno);
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(lock.get(), 0, kStoreLockBytes);
  if (error != 0) return file_failure("allocating", name, error);
  return Done{};
}

}  // namespace laurel
