#include "store/durable/directory.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

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
  const std::string name = path + "/laurel.lock";
  const int lock = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return file_failure("opening", name, errno);
  std::unique_ptr<Directory> directory(new Directory(path, lock));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return file_failure("locking", name, errno);
    const std::string process = process_in(lock);
    return Refusal(Code::taken, "\"{}\" is open already, in {}{}", escaped(path, 120),
                   process == std::to_string(::getpid()) ? "this process" : "process ",
                   process == std::to_string(::getpid()) ? "" : process);
  }
  directory->sign();
  std::filesystem::remove(directory->file_in_the_making(), error);
  return directory;
}

// For the error message of other processes. Errors are ignored: a full disk must not prevent
// opening.
void Directory::sign() const {
  const std::string process = std::to_string(::getpid());
  if (::ftruncate(lock_, 0) != 0) return;
  (void)!::pwrite(lock_, process.data(), process.size(), 0);
}

Directory::~Directory() { ::close(lock_); }

std::string Directory::file() const { return path_ + "/laurel.mdb"; }
std::string Directory::file_in_the_making() const { return path_ + "/laurel.mdb.new"; }

bool Directory::has_file() const {
  struct stat facts {};
  return ::stat(file().c_str(), &facts) == 0;
}

Status Directory::name_file() {
  if (std::rename(file_in_the_making().c_str(), file().c_str()) != 0) {
    return file_failure("naming", file(), errno);
  }
  // Left by LMDB from when the file was created.
  ::unlink((file_in_the_making() + "-lock").c_str());
  const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = directory >= 0 && ::fsync(directory) == 0;
  const int error = errno;
  if (directory >= 0) ::close(directory);
  if (!synced) return file_failure("syncing", path_, error);
  return Done{};
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
