// arena.h - bytes that live as long as the answer they belong to.
//
//   owner    whoever asked: an arena stands beside a list of views and keeps what they show.
//   views    stay where they are until clear() or the arena's end; more bytes move none of them.
//   memory   blocks that grow from 4 KB to 1 MB; clear() keeps the first for the next answer.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace laurel {

class Arena {
 public:
  // A copy of the bytes.
  std::string_view keep(std::string_view bytes);
  // Room for that many bytes, for the caller to fill.
  char* room(std::size_t size);
  void clear() {
    used_ = 0;
    if (blocks_.size() > 1) keep_first();
  }
  std::size_t bytes() const { return bytes_; }  // memory in use

 private:
  void keep_first();

  struct Block {
    std::unique_ptr<char[]> memory;
    std::size_t size = 0;
  };

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
  std::size_t bytes_ = 0;
};

}  // namespace laurel
