// directory.h - the directory of a durable store, and the word that it is ours.
//
//   laurel.mdb       the file (FORMAT.md); laurel.mdb-lock is LMDB's own
//   laurel.lock      held while the directory is open, by one store of one process
//   laurel.mdb.new   a file in the making, from before a crash: removed
//
//   lock     of the system, so that it ends with the process, however that ends. A process that was
//            forked off shares it.
//   threads  one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace laurel {

class Directory {
 public:
  // Makes the directory when there is none. Fails with  taken        a store is open there already
  //                                                     unavailable  it cannot be made or locked
  static Result<std::unique_ptr<Directory>> open(const std::string& path);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }
  std::string file() const;  // laurel.mdb
  std::string file_in_the_making() const;
  bool has_file() const;
  // Gives the file in the making its name, for good.
  Status name_file();
  // How large the file is. Fails with unavailable: it is gone, or another file has its name.
  Result<std::uint64_t> file_bytes() const;
  // Remembers which file has the name now.
  Status know_file();

 private:
  Directory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  void sign() const;

  std::string path_;
  int lock_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

}  // namespace laurel
