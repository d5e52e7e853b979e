// replica.h - a client's copy of one stream: always exactly one state that the board had.
//
// The server's deltas start from the last version whose acknowledgement it received. That version
// may be older than the replica's newest, so the replica keeps the windows from the last used base
// on.
//
//   owner    shares the windows it returns; keeps at most kLiveWindowsKept.
//   threads  none.
//   cost     take: O(n) for n entries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "board/standings/top_snapshot.h"
#include "live/wire/delta.h"

namespace laurel {

class Replica {
 public:
  enum class Taken : std::uint8_t {
    news,     // current() is a newer window now
    stale,    // not newer than current(); the client must acknowledge it all the same
    useless,  // damaged, or its base is not held; current() is unchanged
  };

  // Begins a stream that the server announced. Keeps current(), and uses it as a base if the epoch
  // is the same.
  void attach(std::uint32_t stream, std::uint64_t epoch, const EntryFormat& format = {});
  // The connection or the stream has ended. Keeps current().
  void detach() { attached_ = false; }

  bool attached() const { return attached_; }
  std::uint32_t stream() const { return stream_; }
  // Whether current() is of the stream's epoch: then the stream continues from it.
  bool goes_on() const { return attached_ && current_ && current_->epoch == epoch_; }

  // Applies a state. REQUIRES: attached, and the state is of this stream.
  Taken take(const State& state);

  // The newest window; null before the first window.
  WindowPtr current() const { return current_; }
  // The fields of a subscribe; 0 if no window is held.
  std::uint64_t held_epoch() const { return current_ ? current_->epoch : 0; }
  std::uint64_t held_version() const { return current_ ? current_->version : 0; }

  // The acknowledgement to send; nullopt if no window of this epoch is held.
  std::optional<Ack::Held> ack() const;

 private:
  const Window* base_of(const State& state) const;
  void keep(WindowPtr window, std::uint64_t oldest_of_use);

  bool attached_ = false;
  std::uint32_t stream_ = 0;
  std::uint64_t epoch_ = 0;
  EntryFormat format_;
  std::uint32_t received_ = 0;  // states of the stream since attach
  WindowPtr current_;
  std::vector<WindowPtr> bases_;  // of this epoch, oldest first
};

}  // namespace laurel
