// stream_held.h - the stream that the fuzzed replica follows, and the window that it holds. The
// seeds of server_messages start from these.
#pragma once

#include <string>

#include "live/snapshots.h"
#include "live/wire/delta.h"

namespace laurel::fuzz {

inline constexpr std::uint32_t kStreamHeld = 1;

inline const Window& held() {
  static const Window window = test::ladder(10, 0x1122334455667788, 1000);
  return window;
}

// The message with the whole `window`, or with a delta from `base`.
inline std::string state_of(const Window& window, const Window* base, std::size_t n) {
  const std::string whole = *whole_body(window, n);
  const std::string body = base == nullptr ? whole : delta_body(*base, window, n);
  State state;
  state.stream = kStreamHeld;
  state.version = window.version;
  state.back = base == nullptr ? 0 : window.version - base->version;
  state.size = window.size;
  state.digest = digest(window, n, whole);
  state.count = static_cast<std::uint8_t>(std::min(n, window.entries.size()));
  state.body = body;
  return encode(ServerMessage(state));
}

inline const State* state_held() {
  static const std::string bytes = state_of(held(), nullptr, 10);
  static const ServerMessage message = *decode_server(bytes, Channel::unsequenced);
  return &std::get<State>(message);
}

}  // namespace laurel::fuzz
