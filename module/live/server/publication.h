// publication.h - the recent windows of one published board, and the streams made from them.
//
//   epoch     a new random number for each publication and for each new epoch of the board, so that
//             clients never mix windows of two of them.
//   version   of the posted window. If a window differs but its version was used already (a player
//             was renamed), it gets the next version. Versions only increase.
//   threads   none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/limits.h"
#include "board/standings/top_snapshot.h"
#include "live/server/snapshot_ring.h"
#include "live/server/stream.h"

namespace laurel {

class Publication {
 public:
  // The effect of a posted window.
  enum class News : std::uint8_t {
    none,     // no change that a client can see
    version,  // a new version
    epoch,    // a new epoch: all streams have ended
  };

  // Source of the numbers of a server's streams and epochs.
  class Numbers {
   public:
    virtual ~Numbers() = default;
    virtual std::uint32_t stream() = 0;
    virtual std::uint64_t epoch() = 0;  // random, not 0
  };

  // kept: how many windows the ring keeps as bases of deltas
  Publication(const Window& window, Numbers& numbers, std::size_t kept = kLiveWindowsKept);

  // Adds the board's next window, cut to kLiveTopMax entries and to the size of one message.
  News push(const Window& window);

  // Returns the stream of the first n entries; creates it on demand.
  // REQUIRES: 1 <= n <= kLiveTopMax.
  StreamPtr stream(std::size_t n);

  const NumberedWindow& newest() const { return ring_->newest(); }
  std::uint64_t epoch() const { return epoch_; }
  // Whether a window was cut to fit one message.
  bool cut() const { return cut_; }

 private:
  void begin(const Window& window);
  EncodedWindowPtr encoded(const Window& window);

  Numbers& numbers_;
  std::size_t kept_;
  std::uint64_t epoch_ = 0;  // as clients see it
  std::uint64_t posted_epoch_ = 0;
  std::shared_ptr<WindowRing> ring_;  // shared with the streams of this epoch
  std::vector<StreamPtr> streams_;    // one for each n; at most kLiveTopMax
  bool cut_ = false;
};

}  // namespace laurel
