#include "store/durable/named_file.h"

#include <cerrno>
#include <sys/stat.h>

#include "base/text.h"
#include "store/file_failure.h"

namespace laurel {

Result<NamedFile> NamedFile::find(std::string name) {
  struct stat facts {};
  if (::stat(name.c_str(), &facts) != 0) return file_failure("looking for", name, errno);
  return NamedFile(std::move(name), facts.st_dev, facts.st_ino);
}

Result<std::uint64_t> NamedFile::bytes() const {
  struct stat facts {};
  if (::stat(name_.c_str(), &facts) != 0) return file_failure("looking for", name_, errno);
  if (facts.st_dev != device_ || facts.st_ino != inode_) {
    return Refusal(Code::unavailable, "\"{}\" was replaced by another file since it was opened",
                   escaped(name_, 120));
  }
  return static_cast<std::uint64_t>(facts.st_size);
}

}  // namespace laurel
