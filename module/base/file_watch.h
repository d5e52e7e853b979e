// file_watch.h - detects changes of a file, also fast and small ones.
//
//   stamp     the metadata of a file: device, inode, size, times. Reading it costs one stat, about
//             1 us.
//   fresh     a stamp whose file changed less than kFreshNs before the stamp was taken. Times have
//             the granularity of the file system (2 s on FAT, one timer tick on others), so a
//             second change may not change the stamp. While a stamp is fresh, the content is
//             compared too.
//   ctime     decides whether a stamp is fresh: unlike mtime, a program such as `touch` or `cp -p`
//             cannot set it.
//   threads   none; reading a file blocks on the disk.
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

inline constexpr std::int64_t kFreshNs = 2'500'000'000;  // the 2 s of FAT, and a margin

enum class FileNews : std::uint8_t {
  same,        // no news since the last check
  changed,     // content() differs from what was last reported, or is reported for the first time
  gone,        // the file does not exist; it did before, or this is the first check
  unreadable,  // the file exists but cannot be read: problem() says why
};

// Polls one file. Reports each change once.
class FileWatch {
 public:
  // Files of more than bytes_max bytes are unreadable.
  FileWatch(std::string path, std::size_t bytes_max);

  FileNews poll();
  // Forgets what was reported, so that the next poll reports it again.
  void forget();

  const std::string& path() const { return path_; }
  // The content at the last `changed`.
  const std::string& content() const { return content_; }
  // The reason of the last `unreadable`: a sentence without the path.
  const std::string& problem() const { return problem_; }

 private:
  FileNews read();
  FileNews fail(std::string problem);

  std::string path_;
  std::size_t bytes_max_;
  std::optional<FileNews> told_;      // the last report that was not `same`
  std::optional<FileStamp> trusted_;  // stamp of what was last read; never a fresh one
  bool has_content_ = false;
  std::string content_;  // kept when the file is gone: if it returns unchanged, that is not news
  std::string problem_;
};

// Tells whether the list of names in a directory may have changed since the last check.
class DirectoryWatch {
 public:
  explicit DirectoryWatch(std::string path) : path_(std::move(path)) {}

  bool may_have_changed();

 private:
  std::string path_;
  std::optional<FileStamp> trusted_;
};

}  // namespace laurel
