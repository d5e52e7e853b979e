// limits.h - the limits of laurel-web, each with its reason. Times are in microseconds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace laurel::web {

// --- requests
inline constexpr std::size_t kHeaderBytesMax = 8 * 1024;  // a request line with 64 long names fits
inline constexpr Time kHeaderWithin = 10 * kSecond;       // from its first byte on
inline constexpr Time kIdleAfter = 30 * kSecond;          // a connection without a request
inline constexpr std::size_t kBoardsOfStreamMax = 64;     // each is a place in its board's list
inline constexpr unsigned kTopUnlessAsked = 10;
inline constexpr unsigned kAroundUnlessAsked = 2;
// What a client still sends after an answer that closes the connection is read for a moment, so
// that a reset does not destroy the answer.
inline constexpr Time kLingersFor = 1 * kSecond;
inline constexpr std::size_t kLingerBytesMax = 256 * 1024;

// --- connections
// Connections that are not streams. The one that is silent for longest makes room for a newcomer.
inline constexpr std::size_t kOtherConnectionsMax = 1024;
inline constexpr std::size_t kOthersPerStream = 4;  // of one address, times its streams
inline constexpr std::size_t kSpareDescriptors = 64;
inline constexpr Time kAcceptsAgain = 100'000;  // after the system refused one

// --- streams
inline constexpr Time kCommentEvery = 15 * kSecond;  // proxies end what is silent for 60 s
inline constexpr Time kTakesWithin = 10 * kSecond;   // a viewer that takes nothing for that long
inline constexpr int kSendBufferBytes = 32 * 1024;   // else the kernel holds seconds of old states
inline constexpr std::size_t kStrayBytesMax = 64 * 1024;  // that a viewer may send in its life
inline constexpr std::size_t kSendsPerRound = 256;        // 1.5 ms, then others get their turn
// A viewer reconnects this long after it lost a stream, so that not all reconnect at once.
inline constexpr unsigned kRetryMinMs = 500, kRetryMaxMs = 1500;

// --- the channel
inline constexpr Time kTick = 5'000;             // a change waits at most that long for the gateway
inline constexpr Time kStateLate = 2 * kTick;    // a pass waits no longer for a state that is late
inline constexpr Time kSilentAfter = 4'500'000;  // six pings unanswered; promised are 5 s
inline constexpr Time kRefusedAgain = 10 * kSecond;
inline constexpr std::size_t kTokenFileBytesMax = 4096;
// A new season has a new epoch, which is told in another message.
inline constexpr Time kSeasonWithin = 200'000;

// --- players
inline constexpr Time kGrantFor = 600 * kSecond;  // a stream that was lost may be opened again
inline constexpr std::size_t kGrantsMax = 16'384;
inline constexpr std::size_t kFollowsMax = 512;       // half of the subscriptions of a gateway
inline constexpr Time kFollowLingers = 30 * kSecond;  // for a viewer that asks repeatedly
inline constexpr Time kAnswerWithin = 5 * kSecond;    // a player's surroundings, from the server

}  // namespace laurel::web
