#include "store/durable/directory.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/durable/lock_file.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

bool exists(const std::string& file) {
  struct stat facts {};
  return ::lstat(file.c_str(), &facts) == 0;
}

std::string process_in(int lock) {
  char text[24] = {};
  const ssize_t got = ::pread(lock, text, sizeof text - 1, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "";
}

}  // namespace

Result<std::unique_ptr<Directory>> Directory::open(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return file_failure("making the directory", path, error.value());
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return file_failure("opening", path, errno);
  const int lock = ::openat(folder, "laurel.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  const int failure = errno;
  std::unique_ptr<Directory> directory(new Directory(path, folder, lock));
  if (lock < 0) return file_failure("opening", path + "/laurel.lock", failure);
  if (const Status locked = directory->lock(); !locked) return locked.refusal();
  directory->sign();
  return directory;
}

Status Directory::lock() {
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return Done{};
  if (errno != EWOULDBLOCK) return file_failure("locking", path_ + "/laurel.lock", errno);
  const std::string process = process_in(lock_.get());
  const bool is_this = process == std::to_string(::getpid());
  return Refusal(Code::taken, "\"{}\" is open already, in {}{}", escaped(path_, 120),
                 is_this ? "this process" : "process ", is_this ? "" : process);
}

// For the error message of other processes. Errors are ignored: a full disk must not prevent
// opening.
void Directory::sign() const {
  const std::string process = std::to_string(::getpid());
  if (::ftruncate(lock_.get(), 0) != 0) return;
  (void)!::pwrite(lock_.get(), process.data(), process.size(), 0);
}

bool Directory::has_file() const { return exists(file()); }
bool Directory::has_unfinished_backup() const { return !has_file() && exists(backup_file()); }

void Directory::remove_leftovers() const {
  ::unlink(first_file().c_str());
  ::unlink(lock_file_of(first_file()).c_str());
  if (has_file()) ::unlink(backup_file().c_str());
}

Status Directory::name_file(const std::string& made) const {
  if (std::rename(made.c_str(), file().c_str()) != 0) {
    return file_failure("naming", file(), errno);
  }
  if (::fsync(folder_.get()) == 0) return Done{};
  const int error = errno;
  std::rename(file().c_str(), made.c_str());
  return file_failure("syncing", path_, error);
}

Status Directory::claim_file() {
  file_lock_.emplace(::open(file().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file_lock_->get() < 0) return file_failure("opening", file(), errno);
  if (::flock(file_lock_->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return file_failure("locking", file(), errno);
    return Refusal(Code::taken, "\"{}\" is open already, and its laurel.lock was deleted meanwhile",
                   escaped(path_, 120));
  }
  Result<NamedFile> found = NamedFile::find(file());
  if (!found) return found.refusal();
  known_file_ = std::move(*found);
  return Done{};
}

}  // namespace laurel
