// measure.h - what benchmarks measure with: time, memory, bytes written, samples, a directory of
// their own.
//
//   cpu       of the thread that asks; all_cpu of all threads of the process.
//   written   what the whole process handed to the system to write. How much of it reaches the
//             disk is the file system's affair; its own count, write_bytes, takes a page for the
//             whole folio around it, which may be a megabyte.
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

// Of a clock that goes on; take the difference of two.
Spent spent_so_far();
Spent operator-(const Spent& later, const Spent& sooner);
// Likewise without what takes longer to ask: all_cpu and written.
Spent time_so_far();

// The longest time, in seconds of its own, between two readings of a thread that does nothing but
// read its clock for so many seconds: what the machine takes and calls the thread's. A virtual one
// that is made to wait by its host, and is not told, finds milliseconds.
double longest_gap(double seconds);

// Bytes of the C library's memory in use, with what it keeps beside each block, and of blocks in
// regions of ours (base/block_heap.h).
std::size_t allocated_so_far();

class Samples {
 public:
  void add(double sample) { samples_.push_back(sample); }
  void reserve(std::size_t samples) { samples_.reserve(samples); }
  bool empty() const { return samples_.empty(); }
  // REQUIRES of these: a sample. The smallest that at least this share of all does not exceed.
  double at(double share) const;
  double median() const { return at(0.5); }
  double least() const { return at(0); }
  double most() const { return at(1); }

 private:
  std::vector<double> samples_;
};

// A new directory in another, gone with all that is in it at the end.
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

// "ext4 on /dev/sda1".
std::string filesystem_of(const std::filesystem::path& path);
// One minute's.
double load_average();
// Asks the system to forget what it has of a file in memory; the share that it has still.
double drop_from_memory(const std::string& file);

}  // namespace laurel
