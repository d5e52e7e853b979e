// stream.h - the first n of one incarnation of a board, as all its subscribers share it.
//
// A board of which a hundred are published changes more often than its first ten: a stream moves on
// only when its own cut changed. Messages are encoded once for each base that some subscriber still
// holds, and kept until the stream moves on.
//
//   owner    shares windows with the board's ring; pins the current and the previous one, which a
//            subscriber of a seldom changing cut holds long after the ring forgot them.
//   threads  none.
//   cost     advance: O(n). message: O(n) the first time for a base, then O(bases in use).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/transport.h"
#include "live/window_ring.h"

namespace laurel {

class Stream {
 public:
  struct Encoded {
    MessagePtr bytes = {};
    Channel channel = Channel::unsequenced;  // reliable when it is too large for one datagram
  };

  // REQUIRES: the ring holds a window, and 1 <= n <= kLiveTopMax.
  Stream(std::uint32_t number, std::size_t n, std::shared_ptr<const WindowRing> ring);

  std::uint32_t number() const { return number_; }
  std::size_t n() const { return n_; }
  std::uint64_t version() const { return current_->version; }
  std::uint64_t epoch() const { return current_->epoch; }

  // Takes notice of the ring's newest window.
  void advance();

  // The message that brings a subscriber who holds version `base`, or nothing, to the current one.
  // Counts what it encodes in `encodings`.
  const Encoded& message(std::optional<std::uint64_t> base, std::uint64_t& encodings);

 private:
  Encoded encode(std::uint64_t back, const std::string& body) const;

  std::uint32_t number_;
  std::size_t n_;
  std::shared_ptr<const WindowRing> ring_;
  WindowPtr current_, previous_;
  std::string whole_;  // the body of the current window, made when first needed
  bool whole_made_ = false;
  std::uint32_t digest_ = 0;
  std::vector<std::pair<WindowPtr, Encoded>> encoded_;  // by base; at most the ring's length and 3
};

using StreamPtr = std::shared_ptr<Stream>;

}  // namespace laurel
