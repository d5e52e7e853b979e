// replaced_head.h - the head page that a commit replaces, to put it back if the commit fails.
//
//   why      if the write of a head fails, LMDB writes the number of the former one back, and
//            leaves the new roots with it. LMDB does not use that page, but file_check.h, which
//            cannot know it from a damaged one, would refuse the file if the process ended then.
//   cost     one read of 152 bytes from the system's cache for each commit.
//   threads  none of its own: the thread that changes the file.
//   source   LMDB 0.9.24, mdb.c: mdb_env_write_meta.
#pragma once

#include <array>
#include <cstdint>

#include "store/check/lmdb_format.h"

namespace laurel {

class ReplacedHead {
 public:
  // Reads the page that the transaction of this number will replace. `descriptor` is the file's,
  // and outlives this object.
  ReplacedHead(int descriptor, std::uint64_t page_bytes, std::uint64_t transaction);

  // Writes it back, if it is another one now. Does nothing if it could not be read. A disk that
  // refuses this, too, keeps what is there.
  void put_back() const;

 private:
  using Bytes = std::array<char, lmdb::kMetaBytes>;

  bool read(Bytes& bytes) const;

  int descriptor_;
  std::int64_t at_;
  Bytes bytes_;
  bool known_;
};

}  // namespace laurel
