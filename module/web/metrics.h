// metrics.h - what the gateway counts, and its text for Prometheus.
//
//   threads   one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::web {

// Why a stream ended.
enum class Closed : std::uint8_t { left, slow, abuse, ending };
// What a request or a connection was refused for.
enum class Refused : std::uint8_t {
  request,      // 400: it makes no sense
  token,        // 401
  origin,       // 403
  unknown,      // 404
  method,       // 405
  late,         // 408: the header took too long
  body,         // 413
  header,       // 414 and 431: it is too long
  address,      // 429: the address has its share
  viewers,      // 429: there may be no more viewers
  unavailable,  // 503
  idle,         // a connection made room for a newcomer
};

struct Metrics {
  static constexpr std::size_t kClosed = 4, kRefused = 12;

  std::uint64_t events = 0;      // messages with a state, or that a board is gone
  std::uint64_t sent_bytes = 0;  // of streams
  std::uint64_t conflated = 0;   // states that a newer one replaced before a slow viewer took them
  std::array<std::uint64_t, kClosed> closed{};
  std::array<std::uint64_t, kRefused> refused{};

  void count(Closed why) { ++closed[static_cast<std::size_t>(why)]; }
  void count(Refused why) { ++refused[static_cast<std::size_t>(why)]; }
  // A request that was answered with this status.
  void count_status(unsigned status);

  // In the text format of Prometheus.
  //   viewers      open streams
  //   is_up        whether the channel stands
  //   round_trip   of the channel, in seconds
  std::string text(std::size_t viewers, bool is_up, double round_trip) const;
};

}  // namespace laurel::web
