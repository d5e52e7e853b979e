// power.h - a disk whose power fails: what a file contains afterwards.
//
//   platter   what the disk must have: what was written before a successful sync, and what was
//             written through a descriptor with O_DSYNC.
//   pending   what was written since then. The disk may have any sectors of it. After a failed sync
//             the system treats it as written and forgets it, so it is dropped.
//   whole     LMDB's head is one write within a sector: a disk has all of it or nothing.
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
  // The disk has the whole file as it is now.
  explicit PowerDisk(const std::string& file);

  void take(const std::vector<Event>& events);
  std::uint64_t heads() const { return heads_; }  // successful writes of a head

  // Writes the file as it is after a power failure. With `random`, some pending sectors are in it.
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
