#include "store/reading/file_snapshot.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "store/check/file_check.h"
#include "store/durable/lmdb_file.h"
#include "store/durable/lock_file.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

constexpr std::size_t kCopyChunkBytes = std::size_t{1} << 20;
// The head is read between two transactions nearly always.
constexpr int kAttemptsMax = 200;
constexpr std::chrono::milliseconds kBetweenAttempts{2};

// ---- the copy

std::vector<std::string> temporary_folders() {
  std::vector<std::string> folders;
  const char* const wanted = std::getenv("TMPDIR");
  if (wanted != nullptr && *wanted != '\0') folders.emplace_back(wanted);
  folders.emplace_back("/var/tmp");
  folders.emplace_back("/tmp");
  return folders;
}

struct Copy {
  std::unique_ptr<FileDescriptor> file;
  std::string folder;  // for messages
};

// Not every file system can make a file without a name; then its name is removed at once.
int open_unnamed(const std::string& folder) {
  const int made = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0) return made;
  std::string name = folder + "/laurel-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

Result<Copy> make_copy() {
  for (std::string& folder : temporary_folders()) {
    if (const int made = open_unnamed(folder); made >= 0) {
      return Copy{std::make_unique<FileDescriptor>(made), std::move(folder)};
    }
  }
  const int made = ::memfd_create("laurel", MFD_CLOEXEC);
  if (made < 0) return file_failure("making a copy in", "/tmp", errno);
  return Copy{std::make_unique<FileDescriptor>(made), "memory"};
}

// Reads up to `size` bytes; fewer at the end of the file. Returns 0 or errno.
int read_at(int file, std::uint64_t at, std::vector<char>& bytes, std::size_t size) {
  bytes.resize(size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more =
        ::pread(file, bytes.data() + got, size - got, static_cast<off_t>(at + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return errno;
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  bytes.resize(got);
  return 0;
}

int write_at(int file, std::uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    at += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

std::string_view view_of(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

// ---- the processes that have the file open

enum class Users : std::uint8_t { none, some, unknown };

// LMDB holds a lock on the first byte of its lock file. Asking for it takes no lock.
Users users_of(const std::string& lock_file) {
  const FileDescriptor lock(::open(lock_file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (lock.get() < 0) return errno == ENOENT ? Users::none : Users::unknown;
  struct flock asked {};
  asked.l_type = F_WRLCK;
  asked.l_whence = SEEK_SET;
  asked.l_len = 1;
  if (::fcntl(lock.get(), F_GETLK, &asked) != 0) return Users::unknown;
  return asked.l_type == F_UNLCK ? Users::none : Users::some;
}

// What LMDB would do with a lock file that it cannot write, or that was cut, is to say nothing of
// use, or to crash.
Status check_lock_file(const std::string& lock_file) {
  const FileDescriptor lock(::open(lock_file.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (lock.get() < 0) {
    const int error = errno;
    if (error != EACCES && error != EROFS && error != EPERM) {
      return file_failure("opening", lock_file, error);
    }
    return Refusal(Code::unavailable,
                   "a process has the directory open, and reading beside it needs permission to "
                   "write \"{}\"",
                   escaped(lock_file, 120));
  }
  struct stat facts {};
  if (::fstat(lock.get(), &facts) != 0) return file_failure("reading", lock_file, errno);
  if (static_cast<std::uint64_t>(facts.st_size) < kStoreLockBytes) {
    return Refusal(Code::unavailable, "\"{}\" was cut to {} bytes by another program",
                   escaped(lock_file, 120), facts.st_size);
  }
  return Done{};
}

// ---- copying

class Copying {
 public:
  Copying(std::string file, int source, const Copy& copy)
      : file_(std::move(file)), lock_file_(lock_file_of(file_)), source_(source), copy_(copy) {}

  Status run() {
    std::optional<Refusal> failure;
    for (int i = 0; i < kAttemptsMax; ++i) {
      if (i > 0) std::this_thread::sleep_for(kBetweenAttempts);
      const Users users = users_of(lock_file_);
      const Result<bool> copied = users == Users::some ? copy_beside() : copy_alone();
      if (copied && *copied) return Done{};
      if (copied) continue;
      failure = copied.refusal();
      // Without another process nothing changes what was read.
      if (users == Users::none && users_of(lock_file_) == Users::none) return *failure;
      if (failure->code() == Code::unavailable) return *failure;
    }
    if (failure) return *failure;
    return Refusal(Code::unavailable, "\"{}\" is written all the time, and could not be copied",
                   escaped(file_, 120));
  }

 private:
  // The next two return false if another process wrote the file at a moment that spoils the copy.

  Result<bool> copy_beside() {
    if (!reader_) {
      if (const Status usable = check_lock_file(lock_file_); !usable) return usable.refusal();
      // LMDB trusts the head of the file, and fails in the middle of a division if it is damaged.
      if (const Result<FileHead> head = read_head(); !head) return head.refusal();
      auto opened = LmdbFile::open(file_, {.access = LmdbAccess::beside_writer});
      if (!opened) return opened.refusal();
      reader_ = std::move(*opened);
    }
    const auto view = reader_->view();
    if (!view) return view.refusal();
    const Result<FileHead> head = read_head();
    if (!head) return head.refusal();
    if (head->transaction != (*view)->transaction()) return false;
    if (const Status copied = copy(*head); !copied) return copied.refusal();
    return true;
  }

  Result<bool> copy_alone() {
    reader_.reset();
    const Result<FileHead> head = read_head();
    if (!head) return head.refusal();
    if (const Status copied = copy(*head); !copied) return copied.refusal();
    const Result<FileHead> after = read_head();
    if (!after) return after.refusal();
    return after->transaction == head->transaction && users_of(lock_file_) != Users::some;
  }

  Result<FileHead> read_head() {
    if (const int error = read_at(source_, 0, head_, kFileHeadBytes); error != 0) {
      return file_failure("reading", file_, error);
    }
    Result<FileHead> head = check_head(view_of(head_));
    if (head) return head;
    return Refusal(head.refusal().code(), "\"{}\": {}", escaped(file_, 120),
                   head.refusal().message());
  }

  // The head is that which was checked. It may have been replaced in the file meanwhile.
  Status copy(const FileHead& head) {
    const std::uint64_t head_bytes = 2 * head.page_bytes;
    if (::ftruncate(copy_.file->get(), 0) != 0) return not_copied(errno);
    if (const int error = write_at(copy_.file->get(), 0, view_of(head_).substr(0, head_bytes))) {
      return not_copied(error);
    }
    // The check says what is wrong with a number that no file has.
    const std::uint64_t pages = std::min(head.last_page, UINT64_MAX / head.page_bytes - 1) + 1;
    const std::uint64_t end = pages * head.page_bytes;
    for (std::uint64_t at = head_bytes; at < end; at += chunk_.size()) {
      const std::size_t wanted = std::min<std::uint64_t>(kCopyChunkBytes, end - at);
      if (const int error = read_at(source_, at, chunk_, wanted)) {
        return file_failure("reading", file_, error);
      }
      if (const int error = write_at(copy_.file->get(), at, view_of(chunk_))) {
        return not_copied(error);
      }
      if (chunk_.size() < wanted) break;  // the file's end
    }
    return Done{};
  }

  Refusal not_copied(int error) const {
    const Refusal why = file_failure("copying", file_, error);
    return {Code::unavailable, "{} (to {}; TMPDIR names another folder)", why.message(),
            copy_.folder};
  }

  std::string file_;
  std::string lock_file_;
  int source_;
  const Copy& copy_;
  std::shared_ptr<LmdbFile> reader_;  // null while no other process has the file open
  std::vector<char> head_;
  std::vector<char> chunk_;
};

}  // namespace

Result<FileSnapshot> FileSnapshot::take(const std::string& directory) {
  const std::string file = directory + "/laurel.mdb";
  const FileDescriptor source(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (source.get() < 0 || ::fstat(source.get(), &facts) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return file_failure("reading", file, errno);
    return Refusal(Code::unavailable, "\"{}\" holds no boards: it has no file laurel.mdb",
                   escaped(directory, 120));
  }
  if (!S_ISREG(facts.st_mode)) {
    return Refusal(Code::unavailable, "\"{}\" is no file", escaped(file, 120));
  }
  Result<Copy> copy = make_copy();
  if (!copy) return copy.refusal();
  if (const Status copied = Copying(file, source.get(), *copy).run(); !copied) {
    return copied.refusal();
  }
  if (::fstat(source.get(), &facts) != 0) return file_failure("reading", file, errno);
  FileSnapshot snapshot(std::move(copy->file));
  snapshot.file_bytes_ = static_cast<std::uint64_t>(facts.st_size);
  snapshot.last_write_ = facts.st_mtim.tv_sec * kSecond + facts.st_mtim.tv_nsec / 1000;
  return snapshot;
}

}  // namespace laurel
