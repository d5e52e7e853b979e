#include "measure.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

#include "base/block_heap.h"
#include "base/memory_guarantee.h"

namespace laurel {

namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::uint64_t bytes_written() {
  std::ifstream io("/proc/self/io");
  std::string word;
  std::uint64_t number = 0;
  while (io >> word >> number) {
    if (word == "wchar:") return number;
  }
  return 0;
}

}  // namespace

Spent time_so_far() {
  return {.wall = seconds(CLOCK_MONOTONIC),
          .cpu = seconds(CLOCK_THREAD_CPUTIME_ID),
          .all_cpu = 0,
          .written = 0};
}

Spent spent_so_far() {
  Spent spent = time_so_far();
  spent.all_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  spent.written = bytes_written();
  return spent;
}

Spent operator-(const Spent& later, const Spent& sooner) {
  return {later.wall - sooner.wall, later.cpu - sooner.cpu, later.all_cpu - sooner.all_cpu,
          later.written - sooner.written};
}

double longest_gap(double seconds) {
  const Spent begin = time_so_far();
  double longest = 0;
  Spent last = begin;
  while (last.wall - begin.wall < seconds) {
    const Spent now = time_so_far();
    longest = std::max(longest, now.cpu - last.cpu);
    last = now;
  }
  return longest;
}

std::size_t allocated_so_far() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd + block_heap().bytes_taken() - MemoryReserve::bytes();
}

double Samples::at(double share) const {
  std::vector<double> sorted = samples_;
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(share * last + 0.5)];
}

Scratch::Scratch(const std::filesystem::path& where) {
  std::filesystem::create_directories(where);
  std::string name = (where / "laurel-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("no directory in " + where.string());
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

// The mount point that is the longest prefix of the path.
std::string filesystem_of(const std::filesystem::path& path) {
  const std::string wanted = std::filesystem::canonical(path).string() + "/";
  std::ifstream mounts("/proc/self/mounts");
  std::string line;
  std::string found;
  std::size_t longest = 0;
  while (std::getline(mounts, line)) {
    std::string device;
    std::string directory;
    std::string type;
    std::istringstream(line) >> device >> directory >> type;
    if (!directory.ends_with('/')) directory += '/';
    if (!wanted.starts_with(directory) || directory.size() < longest) continue;
    longest = directory.size();
    found = type + " on " + device;
  }
  return found;
}

std::uint64_t option(int argc, char** argv, const std::string& name, std::uint64_t otherwise) {
  const std::string prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(prefix)) return std::stoull(argument.substr(prefix.size()));
  }
  return otherwise;
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

double drop_from_memory(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 1;
  ::fdatasync(fd);  // dirty pages are not evicted
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  const auto bytes = static_cast<std::size_t>(::lseek(fd, 0, SEEK_END));
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) return 1;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const int known = ::mincore(at, bytes, pages.data());
  ::munmap(at, bytes);
  if (known != 0 || pages.empty()) return 1;
  const auto in_memory =
      std::count_if(pages.begin(), pages.end(), [](unsigned char each) { return (each & 1) != 0; });
  return static_cast<double>(in_memory) / static_cast<double>(pages.size());
}

}  // namespace laurel
