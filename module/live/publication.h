// publication.h - what is shown of one board: its windows, and the streams that are cut from them.
//
//   epoch     drawn anew for each publication and whenever the board begins a new one, so that no
//             client mixes two: a board unpublished and published again has another.
//   version   the posted window's. A window that differs under a version already used (a player
//             took another name) goes out under the next one: versions only go up.
//   threads   none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/limits.h"
#include "board/window.h"
#include "live/stream.h"
#include "live/window_ring.h"

namespace laurel {

class Publication {
 public:
  // What a posted window meant.
  enum class News : std::uint8_t {
    none,     // nothing that a client would see
    version,  // the next version
    epoch,    // another incarnation: every stream has ended
  };

  // Where a server's streams and epochs get their numbers.
  class Numbers {
   public:
    virtual ~Numbers() = default;
    virtual std::uint32_t stream() = 0;
    virtual std::uint64_t epoch() = 0;  // random, not 0
  };

  // kept: how many windows a client's acknowledgement may be behind
  Publication(const Window& window, Numbers& numbers, std::size_t kept = kLiveWindowsKept);

  // Takes the board's next window; cut at kLiveTopMax entries and to what fits one message.
  News push(const Window& window);

  // The stream of the first n, made when nobody asked for it before.
  // REQUIRES: 1 <= n <= kLiveTopMax.
  StreamPtr stream(std::size_t n);

  WindowPtr newest() const { return ring_->newest(); }
  std::uint64_t epoch() const { return epoch_; }
  // Whether some window had to be cut to fit one message.
  bool cut() const { return cut_; }

 private:
  void begin(const Window& window);
  WindowPtr prepared(const Window& window, std::uint64_t version);

  Numbers& numbers_;
  std::size_t kept_;
  std::uint64_t epoch_ = 0;  // on the channel
  std::uint64_t posted_epoch_ = 0;
  std::shared_ptr<WindowRing> ring_;  // the streams of the same epoch share it
  std::vector<StreamPtr> streams_;    // at most kLiveTopMax: one for each n
  bool cut_ = false;
};

}  // namespace laurel
