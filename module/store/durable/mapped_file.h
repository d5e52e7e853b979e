// mapped_file.h - a file's bytes, to read.
//
//   open     reads the whole file once, front to back, before it is mapped: a disk that cannot read
//            it says so here, and not as a signal in the middle of somebody's work; and whoever
//            then jumps about in it finds it in memory.
//   limits   whoever opens it sees to it that nobody cuts it off meanwhile.
//   threads  views may be read by any.
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

  // Valid as long as this; page-aligned.
  std::string_view bytes() const { return {at_, size_}; }

 private:
  MappedFile(const char* at, std::size_t size) : at_(at), size_(size) {}

  const char* at_;
  std::size_t size_;
};

}  // namespace laurel
