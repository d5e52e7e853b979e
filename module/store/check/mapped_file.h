// mapped_file.h - a read-only mapping of a file.
//
//   read     a disk error is a signal when a mapped byte is touched for the first time. read()
//            reports it as an error, and later access finds these bytes in memory. The caller reads
//            a range before it touches it.
//   limits   the caller must ensure that the file is not truncated while it is mapped.
//   threads  any thread may read, and read the views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace laurel {

class MappedFile {
 public:
  // Fails with unavailable.
  static Result<MappedFile> open(const std::string& file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  // Valid while this object exists; page-aligned.
  std::string_view bytes() const { return {at_, size_}; }
  // Reads up to `bytes` bytes from that one on, up to the file's end. Fails with unavailable.
  Status read(std::size_t first, std::size_t bytes) const;

 private:
  MappedFile(std::string name, FileDescriptor fd, const char* at, std::size_t size)
      : name_(std::move(name)), fd_(std::move(fd)), at_(at), size_(size) {}

  std::string name_;
  FileDescriptor fd_;
  const char* at_;
  std::size_t size_;
};

}  // namespace laurel
