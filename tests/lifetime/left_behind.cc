#include "lifetime/left_behind.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace laurel::test {

namespace fs = std::filesystem;

namespace {

std::string lines(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

// The descriptor that reads the directory is closed before its target is read.
std::string open_files() {
  std::vector<std::string> files;
  for (const auto& link : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const fs::path target = fs::read_symlink(link.path(), gone);
    if (gone || target.string().find("/fd") != std::string::npos) continue;
    // Sockets and the like have a new number each time: socket:[123].
    files.push_back(target.string().substr(0, target.string().find(":[")));
  }
  return lines(std::move(files));
}

std::size_t resident_bytes() {
  std::size_t all = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Held held() {
  Held held;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    held.threads += task.is_directory() ? 1 : 0;
  }
  held.files = open_files();
  const struct mallinfo2 heap = mallinfo2();
  held.heap_bytes = heap.uordblks + heap.hblkhd;
  held.resident_bytes = resident_bytes();
  return held;
}

std::string names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(directory))
    names.push_back(file.path().filename());
  return lines(std::move(names));
}

}  // namespace laurel::test
