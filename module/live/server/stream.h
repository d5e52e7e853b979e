// stream.h - the first n entries of one epoch of a board, shared by all subscribers.
//
// A stream advances only when its own first n entries change, or the size of the board. The first
// ten entries change less often than the first hundred. A message is encoded once for each base
// version that a subscriber holds, and kept until the stream advances. The entries of a whole
// window are encoded once for all streams.
//
//   owner    shares windows with the board's ring. Also holds the current and the previous window:
//            if the first n entries change rarely, the ring drops them while subscribers still use
//            them as a base.
//   threads  none.
//   cost     advance: O(n). message: O(n) for the first call with a base, then O(bases in use).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/net/transport.h"
#include "live/server/snapshot_ring.h"

namespace laurel {

class Stream {
 public:
  struct Encoded {
    MessagePtr bytes = {};
    Channel channel = Channel::unsequenced;  // reliable if it is too large for one datagram
  };

  // REQUIRES: the ring holds a window, and 1 <= n <= kLiveTopMax.
  Stream(std::uint32_t number, std::uint64_t epoch, std::size_t n,
         std::shared_ptr<const WindowRing> ring);

  std::uint32_t number() const { return number_; }
  std::size_t n() const { return n_; }
  std::uint64_t version() const { return current_.version; }
  std::uint64_t epoch() const { return epoch_; }

  // Moves to the ring's newest window if the first n entries or the size differ.
  void advance();

  // Returns the message that takes a subscriber from version `base` (nullopt: from no window) to
  // the current version. Adds 1 to `encodings` if it has to encode.
  const Encoded& message(std::optional<std::uint64_t> base, std::uint64_t& encodings);

 private:
  EncodedWindowPtr window_of(std::uint64_t version) const;
  Encoded encode(const EncodedWindow* base, std::uint64_t back);

  std::uint32_t number_;
  std::uint64_t epoch_;
  std::size_t n_;
  std::shared_ptr<const WindowRing> ring_;
  NumberedWindow current_, previous_;
  std::optional<std::uint32_t> digest_;  // of current_, computed on demand
  // By the number of versions from the base (0: none); at most the ring's length and 3.
  std::vector<std::pair<std::uint64_t, Encoded>> encoded_;
};

using StreamPtr = std::shared_ptr<Stream>;

}  // namespace laurel
