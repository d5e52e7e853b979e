// snapshot_ring.h - the last n windows of one published board, in the order of their versions.
//
//   owner    shares the windows; a new window replaces the oldest.
//   threads  none.
//   cost     O(1); find: O(windows kept).
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "board/standings/top_snapshot.h"

namespace laurel {

class WindowRing {
 public:
  // REQUIRES: kept >= 1.
  explicit WindowRing(std::size_t kept) : windows_(kept) {}

  // REQUIRES: the window's version is above that of newest().
  void push(WindowPtr window) {
    assert(!newest() || window->version > newest()->version);
    windows_[pushed_++ % windows_.size()] = std::move(window);
  }

  // The window pushed last; null before the first.
  WindowPtr newest() const {
    return pushed_ == 0 ? nullptr : windows_[(pushed_ - 1) % windows_.size()];
  }

  // The window of that version; null if it does not exist or is no longer kept.
  WindowPtr find(std::uint64_t version) const {
    for (const WindowPtr& window : windows_) {
      if (window && window->version == version) return window;
    }
    return nullptr;
  }

 private:
  std::vector<WindowPtr> windows_;
  std::uint64_t pushed_ = 0;
};

}  // namespace laurel
