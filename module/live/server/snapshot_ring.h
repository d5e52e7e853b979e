// snapshot_ring.h - the last n windows of one published board, encoded, in the order of their
// versions.
//
//   owner    shares the windows; a new window replaces the oldest.
//   threads  none.
//   cost     O(1); find: O(windows kept).
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "live/wire/delta.h"

namespace laurel {

using EncodedWindowPtr = std::shared_ptr<const EncodedWindow>;

// A window, and the version by which clients know it.
struct NumberedWindow {
  EncodedWindowPtr window;
  std::uint64_t version = 0;
};

class WindowRing {
 public:
  // REQUIRES: kept >= 1.
  explicit WindowRing(std::size_t kept) : windows_(kept) {}

  // REQUIRES: the version is above that of newest().
  void push(NumberedWindow window) {
    assert(pushed_ == 0 || window.version > newest().version);
    windows_[pushed_++ % windows_.size()] = std::move(window);
  }

  // The window pushed last. REQUIRES: there is one.
  const NumberedWindow& newest() const {
    assert(pushed_ > 0);
    return windows_[(pushed_ - 1) % windows_.size()];
  }

  // The window of that version; null if it does not exist or is no longer kept.
  EncodedWindowPtr find(std::uint64_t version) const {
    for (const NumberedWindow& kept : windows_) {
      if (kept.window && kept.version == version) return kept.window;
    }
    return nullptr;
  }

 private:
  std::vector<NumberedWindow> windows_;
  std::uint64_t pushed_ = 0;
};

}  // namespace laurel
