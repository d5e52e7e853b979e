// delta.h - what changed between two windows, small enough for one datagram.
//
// A body is a list of steps that build the new window's entries in order, best first. A cursor
// walks along the base window and stands behind the entry that was used last.
//
//   copy      the next entries of the base as they are
//   move      entries of the base from elsewhere, or with their ranks shifted by a common number:
//             who is overtaken moves down by one
//   change    one entry of the base with another score, rank, name or data
//   fresh     an entry that the base does not have
//
// A whole window is a body of fresh entries only. Its digest is a CRC-32C over epoch, version,
// size, count and that whole body, whichever way the window travelled; so a client that applied a
// delta to the wrong base, or mixed two incarnations of a board, finds out.
//
//   cut       the windows given may be longer than n; only their first n entries take part.
//   threads   none; everything here is pure.
//   cost      O(n) for n entries, and one small table for the lookup of ids.
//   source    CRC-32C: Castagnoli, Bräuer, Herrmann, "Optimization of Cyclic Redundancy-Check Codes
//             with 24 and 32 Parity Bits", 1993.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "board/window.h"
#include "live/wire.h"

namespace laurel {

// The steps of a whole window, or nothing when they do not fit in kLiveMessageBytesMax with the
// message around them.
std::optional<std::string> whole_body(const Window& window, std::size_t n);

// The steps from `base` to `target`.
// REQUIRES: both fit as whole_body has it.
std::string delta_body(const Window& base, const Window& target, std::size_t n);

// The digest of a window under its own epoch and version.
//   whole   whole_body(window, n)
std::uint32_t digest(const Window& window, std::size_t n, std::string_view whole);

// How many of the window's first entries fit into one message: all of them, but where long names
// and data add up.
std::size_t entries_that_fit(const Window& window);

// The window that a message brings, or nothing when the message is damaged or does not belong to
// the base: out of bounds, overlong, something left over, or off the digest.
//   epoch   of the stream
//   base    the window of version state.version - state.back and of the same epoch; null when
//           state.back is 0
std::optional<Window> apply(const State& state, std::uint64_t epoch, const Window* base);

}  // namespace laurel
