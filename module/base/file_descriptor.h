// file_descriptor.h - owns the descriptor of an open file, and closes it.
#pragma once

#include <unistd.h>
#include <utility>

namespace laurel {

class FileDescriptor {
 public:
  // Takes the result of open(); if that failed, get() is negative.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace laurel
