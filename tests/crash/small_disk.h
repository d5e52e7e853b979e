// small_disk.h - a disk of its own, in memory, that a test can fill to the last page.
//
//   page     4096 bytes, the unit in which the disk gives space.
//   needs    the right to mount, which root has. Without it is_mounted() is false, and the test
//            says that it is skipped.
//   threads  one caller at a time.
#pragma once

#include <cstddef>
#include <string>

namespace laurel::crash {

class SmallDisk {
 public:
  // Mounts a disk of that many pages on a new directory.
  SmallDisk(std::string directory, std::size_t pages);
  // Unmounts it. REQUIRES: no file of it is open.
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return mounted_; }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  // Writes or shortens a file so that `pages` pages are free. REQUIRES: the other files leave them.
  void leave_free(std::size_t pages);
  std::size_t free_pages() const;

 private:
  std::string ballast() const { return path("ballast"); }

  std::string directory_;
  bool mounted_ = false;
};

}  // namespace laurel::crash
