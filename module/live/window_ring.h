// window_ring.h - the last windows of one published board, in the order of their versions.
//
//   owner    shares the windows; at most as many as it keeps, then the oldest goes.
//   threads  none.
//   cost     O(1), but find: O(windows kept).
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "board/window.h"

namespace laurel {

class WindowRing {
 public:
  // REQUIRES: it keeps one at least.
  explicit WindowRing(std::size_t kept) : windows_(kept) {}

  // REQUIRES: the window is newer than the newest.
  void push(WindowPtr window) {
    assert(!newest() || window->version > newest()->version);
    windows_[pushed_++ % windows_.size()] = std::move(window);
  }

  // The window pushed last; null before the first.
  WindowPtr newest() const {
    return pushed_ == 0 ? nullptr : windows_[(pushed_ - 1) % windows_.size()];
  }

  // The window of that version; null when there was none or it is gone.
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
