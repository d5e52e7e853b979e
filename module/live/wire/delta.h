// delta.h - encodes the difference of two windows, usually small enough for one datagram.
//
// A body is a list of steps that build the new window's entries in order, best first. A cursor
// moves along the base window: it is at the entry after the last one used.
//
//   copy      takes the next entries of the base unchanged.
//   move      takes entries from another position of the base, or adds one number to the ranks of a
//             run of entries: a player who is overtaken moves down by one.
//   change    takes one entry of the base with a different score, rank, name or data.
//   fresh     adds an entry that the base does not have.
//
// A whole window is a body of fresh steps only. The digest of a window is a CRC-32C over epoch,
// version, size, count and the whole body, even if the window was sent as a delta. So a client
// detects a delta that was applied to the wrong base, or windows of two epochs that were mixed.
//
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

#include "board/standings/top_snapshot.h"
#include "live/wire/wire.h"

namespace laurel {

// Returns the body of a whole window, or nullopt if the message would exceed kLiveMessageBytesMax.
std::optional<std::string> whole_body(const Window& window, std::size_t n);

// Returns the body that leads from `base` to `target`.
// REQUIRES: whole_body succeeds for both.
std::string delta_body(const Window& base, const Window& target, std::size_t n);

// Returns the digest of a window, with the window's epoch and version.
//   whole   whole_body(window, n)
std::uint32_t digest(const Window& window, std::size_t n, std::string_view whole);

// Returns how many of the window's first entries fit into one message: all, unless names and data
// are too long.
std::size_t entries_that_fit(const Window& window);

// Decodes a state. Returns nullopt if the message is damaged or does not match the base: a number
// is out of range, bytes are left over, or the digest differs.
//   epoch   of the stream
//   base    the window of version state.version - state.back and of the same epoch; null when
//           state.back is 0
std::optional<Window> apply(const State& state, std::uint64_t epoch, const Window* base);

}  // namespace laurel
