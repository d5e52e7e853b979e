// stream.h - the first n entries of one epoch of a board, shared by all subscribers.
//
// A stream advances only when its own first n entries change, or the size of the board. The first
// ten entries change less often than the first hundred. A message is encoded once for each base
// version that a subscriber holds, and kept until the stream advances.
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
  Stream(std::uint32_t number, std::size_t n, std::shared_ptr<const WindowRing> ring);

  std::uint32_t number() const { return number_; }
  std::size_t n() const { return n_; }
  std::uint64_t version() const { return current_->version; }
  std::uint64_t epoch() const { return current_->epoch; }

  // Moves to the ring's newest window if the first n entries or the size differ.
  void advance();

  // Returns the message that takes a subscriber from version `base` (nullopt: from no window) to
  // the current version. Adds 1 to `encodings` if it has to encode.
  const Encoded& message(std::optional<std::uint64_t> base, std::uint64_t& encodings);

 private:
  Encoded encode(std::uint64_t back, const std::string& body) const;

  std::uint32_t number_;
  std::size_t n_;
  std::shared_ptr<const WindowRing> ring_;
  WindowPtr current_, previous_;
  std::string whole_;  // whole body of the current window, encoded on demand
  bool whole_made_ = false;
  std::uint32_t digest_ = 0;
  // By base (null: none); at most the ring's length and 3.
  std::vector<std::pair<WindowPtr, Encoded>> encoded_;
};

using StreamPtr = std::shared_ptr<Stream>;

}  // namespace laurel
