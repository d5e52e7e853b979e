// measure.h - tools for benchmarks: time, memory, bytes written, samples, a scratch directory.
//
//   cpu       CPU time of the calling thread; all_cpu is that of all threads of the process.
//   written   bytes that the whole process handed to the system to write. How many of them reach
//             the disk depends on the file system. Its own count, write_bytes, charges the whole
//             folio for a page, which may be a megabyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace laurel {

struct Spent {
  double wall = 0;  // seconds
  double cpu = 0;
  double all_cpu = 0;
  std::uint64_t written = 0;  // bytes
};

// Counts from an arbitrary start; use the difference of two.
Spent spent_so_far();
Spent operator-(const Spent& later, const Spent& sooner);
// As spent_so_far(), but without all_cpu and written, which take longer to read.
Spent time_so_far();

// The longest time, in seconds of CPU time, between two readings of a thread that does nothing
// except read its clock, for this many seconds: time that the machine takes and charges to the
// thread. On a virtual machine whose host makes it wait without telling it, this is milliseconds.
double longest_gap(double seconds);

// Bytes in use of the C library's memory, with its overhead for each block, and of blocks in
// our own regions (base/block_heap.h).
std::size_t allocated_so_far();

class Samples {
 public:
  void add(double sample) { samples_.push_back(sample); }
  void reserve(std::size_t samples) { samples_.reserve(samples); }
  bool empty() const { return samples_.empty(); }
  // These REQUIRE a sample. at() is the smallest sample that at least this share does not exceed.
  double at(double share) const;
  double median() const { return at(0.5); }
  double least() const { return at(0); }
  double most() const { return at(1); }

 private:
  std::vector<double> samples_;
};

// A new directory within another; it is removed with its contents at the end.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& where);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// N of the argument "--name=N", or `otherwise` if there is none.
std::uint64_t option(int argc, char** argv, const std::string& name, std::uint64_t otherwise);
// "ext4 on /dev/sda1".
std::string filesystem_of(const std::filesystem::path& path);
// The average of the last minute.
double load_average();
// Asks the system to evict the file from its page cache. Returns the share that is still cached.
double drop_from_memory(const std::string& file);

}  // namespace laurel
