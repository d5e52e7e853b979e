// temporary_folder.h - a folder for one test; the destructor deletes it.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/hash.h"

namespace laurel {

class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("laurel-remote-{:x}", random_u64())) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace laurel
