// publication.h - the recent windows of one published board, and the streams made from them.
//
//   epoch     a new random number for each publication and for each new epoch of the board, so that
//             clients never mix windows of two of them. If entries consist of something else than
//             before (fractional ranks), an epoch begins, too.
//   version   of the posted window. If a window differs but its version was used already (a player
//             was renamed), it gets the next version. Versions only increase. They do not depend on
//             the subscribers.
//   edition   the windows as one version of the protocol shows them. A window is encoded once for
//             an edition, and only while the edition has subscribers.
//   threads   none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "board/standings/top_snapshot.h"
#include "live/limits.h"
#include "live/server/snapshot_ring.h"
#include "live/server/stream.h"
#include "live/wire/wire.h"

namespace laurel {

class Publication {
 public:
  // The effect of a posted window.
  enum class News : std::uint8_t {
    none,     // no change that a subscriber can see
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

  // window  not null
  // kept    how many windows a ring keeps as bases of deltas
  Publication(WindowPtr window, Numbers& numbers, std::size_t kept = kLiveWindowsKept);

  // Adds the board's next window, not null. Clients see it cut to kLiveTopMax entries and to the
  // size of one message.
  News push(WindowPtr window);

  // Whether clients that speak this version of the protocol can be shown the board.
  bool is_shown_in(std::uint8_t version) const;
  // Returns the stream of the first n entries; creates it on demand.
  // REQUIRES: is_shown_in(version), and 1 <= n <= kLiveTopMax.
  StreamPtr stream(std::uint8_t version, std::size_t n);

  // The window posted last.
  const Window& window() const { return *window_; }
  std::uint64_t epoch() const { return epoch_; }
  // How many entries fitted, if a window was cut to fit one message and this was not told before.
  std::optional<std::size_t> take_cut();

 private:
  struct Edition {
    std::shared_ptr<WindowRing> ring;  // shared with the streams of this epoch; null: not used yet
    std::vector<StreamPtr> streams;    // one for each n; at most kLiveTopMax
    WindowPtr seen;                    // the window that was compared with the ring last
  };

  void begin(WindowPtr window);
  // Adds the newest window to the edition, unless it was added or looks the same. Returns whether
  // it did.
  bool bring_up(Edition& edition, std::uint8_t version);
  Edition& edition(std::uint8_t version) { return editions_[version - kWireVersionMin]; }

  Numbers& numbers_;
  std::size_t kept_;
  std::uint64_t epoch_ = 0;  // as clients see it
  WindowPtr window_;
  std::uint64_t version_ = 0;  // of window_, as clients see it
  std::array<Edition, kWireVersionMax - kWireVersionMin + 1> editions_;
  bool cut_ = false;
  std::optional<std::size_t> fitted_;  // not told yet
};

}  // namespace laurel
