// directory.h - the directory of a durable store, and the locks that make it ours.
//
//   laurel.mdb       the file (FORMAT.md); laurel.mdb-lock is LMDB's own
//   laurel.lock      locked while the directory is open, by one store of one process
//   laurel.mdb.new   an incomplete new file, left by a crash: removed
//
//   lock     a system lock, so it is released when the process ends for any reason. A forked child
//            shares it. laurel.mdb has one too: if laurel.lock is deleted, its lock excludes no
//            other process.
//   threads  one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "store/durable/named_file.h"

namespace laurel {

class Directory {
 public:
  // Creates the directory if it does not exist.
  // Fails with  taken        another store has the directory open
  //             unavailable  it cannot be created or locked
  static Result<std::unique_ptr<Directory>> open(const std::string& path);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }
  std::string file() const;  // laurel.mdb
  std::string file_in_the_making() const;
  bool has_file() const;
  // Renames the new file to its final name and syncs the directory.
  Status name_file();
  // Locks the file, and remembers which file it is.
  // Fails with  taken        another store has it open, though laurel.lock was deleted
  //             unavailable  it cannot be opened or locked
  Status claim_file();
  // The file's size. Fails with unavailable: the file is gone, or another file has its name.
  // REQUIRES: claim_file() succeeded.
  Result<std::uint64_t> file_bytes() const { return known_file_->bytes(); }

 private:
  Directory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  void sign() const;

  std::string path_;
  int lock_;
  std::optional<FileDescriptor> file_lock_;
  std::optional<NamedFile> known_file_;
};

}  // namespace laurel
