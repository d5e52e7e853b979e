// directory.h - the directory of a durable store, and the locks that make it ours.
//
//   laurel.mdb        the file (FORMAT.md); laurel.mdb-lock is LMDB's own
//   laurel.lock       locked while the directory is open, by one store of one process
//   laurel.mdb.empty  the file of a first opening, before it has its name; left by a crash: removed
//   laurel.mdb.new    a backup, before it has its name. If it is alone, the backup did not end, and
//                     the directory cannot be opened.
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

  const std::string& path() const { return path_; }
  std::string file() const { return path_ + "/laurel.mdb"; }
  std::string first_file() const { return path_ + "/laurel.mdb.empty"; }
  std::string backup_file() const { return path_ + "/laurel.mdb.new"; }
  bool has_file() const;
  bool has_unfinished_backup() const;
  // Removes what a crash left of a first opening, and the unfinished backup beside a file.
  void remove_leftovers() const;
  // Gives the new file its final name and syncs the directory; if that fails, the new file keeps
  // its name.
  Status name_file(const std::string& made) const;
  // Locks the file, and remembers which file it is.
  // Fails with  taken        another store has it open, though laurel.lock was deleted
  //             unavailable  it cannot be opened or locked
  Status claim_file();
  // The file's size. Fails with unavailable: the file is gone, or another file has its name.
  // REQUIRES: claim_file() succeeded.
  Result<std::uint64_t> file_bytes() const { return known_file_->bytes(); }

 private:
  Directory(std::string path, int folder, int lock)
      : path_(std::move(path)), folder_(folder), lock_(lock) {}
  Status lock();
  void sign() const;

  std::string path_;
  FileDescriptor folder_;
  FileDescriptor lock_;
  std::optional<FileDescriptor> file_lock_;
  std::optional<NamedFile> known_file_;
};

}  // namespace laurel
