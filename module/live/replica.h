// replica.h - a client's copy of one stream: always exactly one state that the board had.
//
// The server's deltas start from the version that it last heard acknowledged, which may be older
// than the newest one here; so the windows since the last base that it used are kept.
//
//   owner    shares the windows it hands out; at most kLiveWindowsKept.
//   threads  none. Time comes from the caller.
//   cost     take: O(n) for n entries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "board/window.h"
#include "live/wire.h"

namespace laurel {

class Replica {
 public:
  enum class Taken : std::uint8_t {
    news,     // current() is newer than it was
    stale,    // an older one, or the same again; to be acknowledged all the same
    useless,  // damaged, or its base is not here; current() is what it was
  };

  // Begins with a stream as the server announced it. What was held stays, and stays useful when the
  // epoch is the same.
  void attach(std::uint32_t stream, std::uint64_t epoch);
  // The connection, or the stream, is gone; what is held stays.
  void detach() { attached_ = false; }

  bool attached() const { return attached_; }
  std::uint32_t stream() const { return stream_; }

  // REQUIRES: attached, and the message is of the stream.
  Taken take(const State& state);

  // The newest window; null before the first one of any epoch.
  WindowPtr current() const { return current_; }
  // What a subscribe says is held: nothing where there is none.
  std::uint64_t held_epoch() const { return current_ ? current_->epoch : 0; }
  std::uint64_t held_version() const { return current_ ? current_->version : 0; }

  // What is to be acknowledged; nothing when no window of this epoch is held.
  std::optional<Ack::Held> ack() const;

 private:
  const Window* base_of(const State& state) const;
  void keep(WindowPtr window, std::uint64_t oldest_of_use);

  bool attached_ = false;
  std::uint32_t stream_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint32_t received_ = 0;  // states of the stream since attach
  WindowPtr current_;
  std::vector<WindowPtr> bases_;  // of this epoch, oldest first
};

}  // namespace laurel
