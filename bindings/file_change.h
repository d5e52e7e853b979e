// file_change.h - noticing that a file changed, however fast and however little.
//
//   stamp     what the file system says of a file: device, inode, size, times. Asking costs one
//             stat, about a microsecond.
//   fresh     a stamp whose file changed less than kFreshNs before it was taken. Times have the
//             file system's granularity (2 s on FAT, a timer's tick elsewhere), so a second change
//             may leave a fresh stamp as it is: while it is fresh the content is compared as well.
//   ctime     decides what is fresh: unlike mtime nobody can set it, `touch` and `cp -p` included.
//   threads   none; blocks on the disk where it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace laurel {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

inline constexpr std::int64_t kFreshNs = 2'500'000'000;  // FAT's two seconds and some

enum class FileNews : std::uint8_t {
  same,        // nothing happened since the look before, or nothing that matters
  changed,     // content() is other than when it was last told, or is told for the first time
  gone,        // there was a file, or this is the first look, and now there is none
  unreadable,  // there is something that cannot be read: problem() says why
};

// One file and what was last known of it. Each piece of news is told once.
class FileWatch {
 public:
  // Files above bytes_max are unreadable.
  FileWatch(std::string path, std::size_t bytes_max);

  FileNews look();
  // Forgets what it knew, so that the next look tells all of it again.
  void forget();

  const std::string& path() const { return path_; }
  // As of the last `changed`.
  const std::string& content() const { return content_; }
  // Of the last `unreadable`: a sentence without the path.
  const std::string& problem() const { return problem_; }

 private:
  FileNews read();
  FileNews fail(std::string problem);

  std::string path_;
  std::size_t bytes_max_;
  std::optional<FileNews> told_;      // the last that was not `same`
  std::optional<FileStamp> trusted_;  // of the content or problem that was told; never a fresh one
  bool has_content_ = false;
  std::string content_;  // outlives the file: one that comes back as it was is no news
  std::string problem_;
};

// Whether the list of names in a directory may have changed since the last look.
class DirectoryWatch {
 public:
  explicit DirectoryWatch(std::string path) : path_(std::move(path)) {}

  bool may_have_changed();

 private:
  std::string path_;
  std::optional<FileStamp> trusted_;
};

}  // namespace laurel
