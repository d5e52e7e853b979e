// simulation_history.h - everything that was posted of one view of a board, numbered as its
// publication must number it.
//
//   incarnation  the meaning of an epoch: a new one begins with a reset, when the board is
//                published again, and when the server restarts.
//   version      the posted one, or the next if the window has changed under the same version (a
//                player took another name).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/time.h"
#include "board/standings/top_snapshot.h"
#include "live/wire/delta.h"

namespace laurel::test {

// Takes off what version 1 of the protocol does not have.
inline void strip(Window& window) {
  for (WindowEntry& entry : window.entries) {
    entry.at.reset();
    entry.rank_change.reset();
  }
}

class History {
 public:
  // The window is posted.
  void posted(const WindowPtr& window, Time now) {
    if (incarnations_.empty() || ended_ || window->epoch != posted_epoch_) {
      incarnations_.emplace_back();
      posted_epoch_ = window->epoch;
      ended_ = false;
    }
    States& states = incarnations_.back();
    const WindowPtr before = states.empty() ? nullptr : states.rbegin()->second.window;
    const bool is_first = states.empty();
    if (!is_first && same(*posted_, *window)) return;
    version_ = is_first ? window->version : std::max(window->version, version_ + 1);
    posted_ = window;
    WindowPtr shown = window;
    const std::size_t fitting = EncodedWindow(*window, kLiveTopMax).count();
    if (fitting < window->entries.size()) {
      auto cut = std::make_shared<Window>(*window);
      cut->entries.resize(fitting);
      shown = std::move(cut);
    }
    if (before && same(*before, *shown)) return;
    states[version_] = {shown, now};
  }
  // The board was unpublished, or its server ended: the next post is a new incarnation.
  void ended() { ended_ = true; }
  bool published() const { return !ended_ && !incarnations_.empty(); }

  struct Posted {
    WindowPtr window;
    Time at = 0;
  };
  using States = std::map<std::uint64_t, Posted>;  // by version
  // Counted from 0; the last is the current one.
  std::size_t incarnations() const { return incarnations_.size(); }
  const States& states(std::size_t incarnation) const { return incarnations_[incarnation]; }
  const States& states() const { return incarnations_.back(); }

  // True if `seen` has the first n entries of `posted`, as that version of the protocol has them.
  static bool is_cut(const Window& seen, const Window& posted, std::size_t n,
                     std::uint8_t version) {
    Window expected = posted;
    expected.entries.resize(std::min(n, posted.entries.size()));
    if (version < 2) strip(expected);
    return same(seen, expected);
  }

 private:
  static bool same(const Window& a, const Window& b) {
    return a.size == b.size && a.entries == b.entries;
  }

  std::uint64_t posted_epoch_ = 0;
  WindowPtr posted_;  // last
  std::uint64_t version_ = 0;
  bool ended_ = true;
  std::vector<States> incarnations_;
};

}  // namespace laurel::test
