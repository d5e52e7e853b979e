// named_file.h - a file by its name and its identity: whether the name still means the same file.
//
//   identity  device and inode, so a file that was renamed and back is the same, and a copy is not.
//   threads   any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace laurel {

class NamedFile {
 public:
  // The file that has the name now. Fails with unavailable.
  static Result<NamedFile> find(std::string name);

  const std::string& name() const { return name_; }
  // Its size. Fails with unavailable: the file is gone, or another file has its name.
  Result<std::uint64_t> bytes() const;

 private:
  NamedFile(std::string name, std::uint64_t device, std::uint64_t inode)
      : name_(std::move(name)), device_(device), inode_(inode) {}

  std::string name_;
  std::uint64_t device_;
  std::uint64_t inode_;
};

}  // namespace laurel
