// file_snapshot.h - a private copy of a directory's file, as of one transaction, also while another
// process writes it.
//
//   copy      a file without a name in the folder TMPDIR, /var/tmp or /tmp, or else in memory. It
//             goes with this object, also if the process is killed. No other process can cut it.
//   beside    If a process has the file open, a view of LMDB keeps the pages that are copied from
//             being reused. It ends when the copy is complete; the file may grow meanwhile. If this
//             process is killed, the writer frees the view's slot (durable/writer.h).
//   alone     If no process has the file open, no lock is used, and the lock file may be missing.
//             The copy is made again if the file was written meanwhile.
//   changes   nothing in the directory. LMDB's lock file must be writable beside a process that has
//             the file open, since a view is noted in it.
//   requires  this process does not have the directory open; it sees the other process in its
//             namespace of processes, or that process may free the view.
//   threads   any; it blocks for the disk.
//   cost      reads and writes the used part of the file once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "base/time.h"

namespace laurel {

class FileSnapshot {
 public:
  // Checks the head of the file only. Fails with  bad_data     the head is damaged
  //                                               unavailable  there is no file, or it cannot be
  //                                                            read or copied
  static Result<FileSnapshot> take(const std::string& directory);

  // A name that opens the copy in this process.
  std::string name() const { return "/proc/self/fd/" + std::to_string(copy_->get()); }
  // The file, when it was copied.
  std::uint64_t file_bytes() const { return file_bytes_; }
  Time last_write() const { return last_write_; }

 private:
  explicit FileSnapshot(std::unique_ptr<FileDescriptor> copy) : copy_(std::move(copy)) {}

  std::unique_ptr<FileDescriptor> copy_;
  std::uint64_t file_bytes_ = 0;
  Time last_write_ = 0;
};

}  // namespace laurel
