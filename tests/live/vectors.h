// vectors.h - vectors.txt: states of the live channel and what a client makes of them, for every
// decoder that there is: the native one in vectors_test.cc, the pure-Lua client's in
// tests/lua/overlay_vectors_spec.lua.
//
//   sequence TITLE          begins anew: no window is held
//   epoch BYTES             of the stream from here on, as on the wire
//   state BYTES             a message; its base is the sequence's window of that version
//   window VERSION SIZE N   what it leads to, with a line for each entry:
//   entry PLAYER SCORE RANK NAME DATA
//   rejected WHY            or that it is damage, and changes nothing
//
// Bytes are hexadecimal; a name or data is in quotes, or "-" where there is none. Scores have 17
// digits, which is exact.
//
//   LAUREL_WRITE_VECTORS=tests/live/vectors.txt test_live -tc='*vectors*'     # writes them anew
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "live/delta.h"
#include "live/wire.h"

namespace laurel::test {

inline std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// The windows of one stream, and what a message does to them.
struct HeldWindows {
  std::uint64_t epoch = 0;
  std::map<std::uint64_t, Window> windows;  // by version

  // The window that the message leads to; nothing, and nothing changes, when it is damage.
  std::optional<Window> take(std::string_view bytes) {
    const std::optional<ServerMessage> message = decode_server(bytes, Channel::reliable);
    if (!message || !std::holds_alternative<State>(*message)) return std::nullopt;
    const State& state = std::get<State>(*message);
    const Window* base = nullptr;
    if (state.back != 0) {
      const auto found = windows.find(state.version - state.back);
      if (found == windows.end() || found->second.epoch != epoch) return std::nullopt;
      base = &found->second;
    }
    std::optional<Window> window = apply(state, epoch, base);
    if (window) windows[window->version] = *window;
    return window;
  }
};

// An entry's line of the file.
inline std::string line_of(const WindowEntry& entry) {
  const auto optional = [](const std::optional<std::string>& text) {
    return text ? "\"" + hex(*text) + "\"" : std::string("-");
  };
  return fmt::format("entry {} {:.17g} {} {} {}", hex(entry.player), entry.score, entry.rank,
                     optional(entry.name), optional(entry.data));
}

// A window's first line.
inline std::string line_of(const Window& window) {
  return fmt::format("window {} {} {}", window.version, window.size, window.entries.size());
}

// The whole file as the encoder writes it: boards that live by fixed seeds, the longest of all
// fields, and damage of every kind. Each vector is tried on the native decoder as it is written.
std::string written_vectors();

}  // namespace laurel::test
