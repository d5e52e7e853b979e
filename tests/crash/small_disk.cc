#include "small_disk.h"

#include <filesystem>
#include <fstream>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace laurel::crash {

namespace {

constexpr std::size_t kPageBytes = 4096;

}  // namespace

SmallDisk::SmallDisk(std::string directory, std::size_t pages) : directory_(std::move(directory)) {
  std::filesystem::create_directories(directory_);
  const std::string size = fmt::format("size={}", pages * kPageBytes);
  mounted_ = ::mount("tmpfs", directory_.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (mounted_) CHECK(::umount(directory_.c_str()) == 0);
}

void SmallDisk::leave_free(std::size_t pages) {
  std::filesystem::remove(ballast());
  const std::size_t free = free_pages();
  REQUIRE(free >= pages);
  std::ofstream out(ballast(), std::ios::binary);
  const std::string page(kPageBytes, 'b');
  for (std::size_t i = pages; i < free; ++i) out << page;
  REQUIRE(out.flush());
  CHECK(free_pages() == pages);
}

std::size_t SmallDisk::free_pages() const {
  struct statvfs facts {};
  REQUIRE(::statvfs(directory_.c_str(), &facts) == 0);
  return facts.f_bavail * facts.f_frsize / kPageBytes;
}

}  // namespace laurel::crash
