// power.h - a disk whose power goes out: what of a file is there afterwards.
//
//   platter   what a disk must have: what was written before a sync that succeeded, and what was
//             written through a descriptor that waits by itself.
//   pending   what was written since: of it the disk may have anything, in sectors. After a sync
//             that failed the system takes it for written and forgets it, so nothing is owed.
//   whole     LMDB's head is one write within a sector: a disk has all of that or nothing.
//   threads   one caller at a time.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "faults.h"

namespace laurel::crash {

class PowerDisk {
 public:
  // The disk has all of the file as it is now.
  explicit PowerDisk(const std::string& file);

  void take(const std::vector<Event>& events);
  std::uint64_t heads() const { return heads_; }  // that were written

  // The file after the power went out; with the random numbers, some of what is pending is there.
  void leave(const std::string& file) const;
  void leave(const std::string& file, std::mt19937_64& random) const;

 private:
  static void put(std::string& bytes, std::uint64_t offset, std::string_view written);

  std::string platter_;
  std::vector<Event> pending_;
  std::uint64_t heads_ = 0;
};

std::string bytes_of(const std::string& file);
void write_bytes(const std::string& file, std::string_view bytes);

}  // namespace laurel::crash
