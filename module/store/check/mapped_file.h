// mapped_file.h - a read-only mapping of a file.
//
//   open     reads the whole file once, front to back, before mapping it. A disk error is then
//            reported as an error, not as a signal during later work, and later random access finds
//            the file in memory.
//   limits   the caller must ensure that the file is not truncated while it is mapped.
//   threads  any thread may read the views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

 private:
  MappedFile(const char* at, std::size_t size) : at_(at), size_(size) {}

  const char* at_;
  std::size_t size_;
};

}  // namespace laurel
