// folder.h - a temporary directory for one test, and a log that records its lines.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/log.h"

namespace laurel::test {

class Folder {
 public:
  explicit Folder(const char* name = "rules") {
    std::string pattern = (std::filesystem::temp_directory_path() / "laurel-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    root_ = pattern;
    path_ = root_ / name;
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }
  const char* c_str() const { return path_.c_str(); }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

  void write(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << content;
  }
  // The content of a file; empty if there is none.
  std::string read(std::string_view name) const {
    std::ostringstream content;
    content << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return content.str();
  }
  void remove(std::string_view name) const { std::filesystem::remove(path_ / name); }

 private:
  std::filesystem::path root_;
  std::filesystem::path path_;
};

struct Journal {
  std::vector<std::string> lines;

  Log log() {
    return Log([this](Level level, std::string_view line) {
      lines.push_back(std::string(word(level)) + ": " + std::string(line));
    });
  }
  // The number of lines that contain the text.
  int count(std::string_view text) const {
    int n = 0;
    for (const std::string& line : lines) n += line.find(text) != std::string::npos ? 1 : 0;
    return n;
  }
  std::string all() const {
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
  }
};

}  // namespace laurel::test
