#include "store/durable/backup.h"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/process/signals.h"
#include "base/text.h"
#include "store/durable/directory.h"
#include "store/file_failure.h"

namespace laurel {

// The file is emptied if the backup fails: it needs no room then, and still says that the backup
// did not end.
Status back_up(const LmdbFile& source, const std::string& directory) {
  Result<std::unique_ptr<Directory>> target = Directory::open(directory);
  if (!target) return target.refusal();
  if ((*target)->has_file()) {
    return Refusal(Code::taken, "\"{}\" holds boards already", escaped(directory, 120));
  }
  const std::string file = (*target)->backup_file();
  const SignalsBlocked blocked;
  const FileDescriptor out(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (out.get() < 0) return file_failure("making", file, errno);
  Status copied = source.copy_to(out.get(), file);
  if (copied && ::fsync(out.get()) != 0) copied = file_failure("syncing", file, errno);
  if (copied) copied = (*target)->name_file(file);
  if (!copied) (void)!::ftruncate(out.get(), 0);
  return copied;
}

}  // namespace laurel
