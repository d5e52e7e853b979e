// delta.h - encodes the difference of two windows, usually small enough for one datagram.
//
// A body is a list of steps that build the new window's entries in order, best first. A cursor
// moves along the base window: it is at the entry after the last one used.
//
//   copy      takes the next entries of the base unchanged.
//   move      takes entries from another position of the base, or adds one number to the ranks of a
//             run of entries: a player who is overtaken moves down by one.
//   change    takes one entry of the base with a different score, rank, name or data, and from
//             version 2 on with another moment or another rank at the last mark.
//   fresh     adds an entry that the base does not have.
//
// A whole window is a body of fresh steps only. The digest of a window is a CRC-32C over epoch,
// version, size, count and the whole body, even if the window was sent as a delta. So a client
// detects a delta that was applied to the wrong base, or windows of two epochs that were mixed.
//
//   format    version 1 of the protocol has scores of one number and whole ranks. From version 2 on
//             an entry also has its moment, and the rank at the last mark in place of the rank
//             change: the ranks of a run may move without changing it.
//   cut       windows may be longer than n; only their first n entries are used.
//   threads   none; all functions are pure.
//   cost      O(n) for n entries, and one small hash table of player ids.
//   source    CRC-32C: Castagnoli, Bräuer, Herrmann, "Optimization of Cyclic Redundancy-Check Codes
//             with 24 and 32 Parity Bits", 1993.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board/standings/top_snapshot.h"
#include "live/wire/wire.h"

namespace laurel {

// What the entries of a stream consist of.
struct EntryFormat {
  std::uint8_t version = 1;        // of the protocol
  bool half_ranks = false;         // ranks are counted in halves; from version 2 on
  ScoreColumns::Ptr columns = {};  // null: a score is one number; from version 2 on

  friend bool operator==(const EntryFormat& a, const EntryFormat& b);
};
// The format in which that version shows the window; nullopt if it cannot.
std::optional<EntryFormat> format_of(const Window& window, std::uint8_t version);

// The entries of a window, encoded once for all messages that are made of it. It takes a sixth of
// the window's memory.
class EncodedWindow {
 public:
  // Encodes the first `most` entries, or those of them that fit into one message.
  EncodedWindow(const Window& window, std::size_t most, const EntryFormat& format = {});

  std::size_t count() const { return ends_.size(); }
  std::uint64_t size() const { return size_; }  // number of players ranked on the board
  const EntryFormat& format() const { return format_; }
  // The body of the whole window of the first n entries, or of all if there are fewer.
  std::string_view first(std::size_t n) const;

  friend bool operator==(const EncodedWindow&, const EncodedWindow&) = default;

 private:
  std::string bytes_;
  std::vector<std::uint16_t> ends_;  // where in bytes_ each entry ends
  std::uint64_t size_;
  EntryFormat format_;
};

// Returns the body of a whole window, or nullopt if the message would exceed kLiveMessageBytesMax.
std::optional<std::string> whole_body(const Window& window, std::size_t n,
                                      const EntryFormat& format = {});

// Returns the body that leads from the first n entries of `base` to those of `target`.
// REQUIRES: both have one format.
std::string delta_body(const EncodedWindow& base, const EncodedWindow& target, std::size_t n);
// REQUIRES: whole_body succeeds for both.
std::string delta_body(const Window& base, const Window& target, std::size_t n,
                       const EntryFormat& format = {});

// Returns the digest of the window that a state leads to.
//   epoch   of the stream
//   whole   the body of the whole window
std::uint32_t digest(const State& state, std::uint64_t epoch, std::string_view whole);
// Returns the digest of a window, with the window's epoch and version.
//   whole   whole_body(window, n)
std::uint32_t digest(const Window& window, std::size_t n, std::string_view whole);

// Decodes a state. Returns nullopt if the message is damaged or does not match the base: a number
// is out of range, bytes are left over, or the digest differs.
//   epoch   of the stream
//   format  of the stream, also that of the base
//   base    the window of version state.version - state.back and of the same epoch; null when
//           state.back is 0
std::optional<Window> apply(const State& state, std::uint64_t epoch, const Window* base,
                            const EntryFormat& format = {});

}  // namespace laurel
