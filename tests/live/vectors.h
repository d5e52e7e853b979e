// vectors.h - vectors.txt: states of the live channel and the windows they lead to, for all
// decoders: the native one in vectors_test.cc, and the pure-Lua client's in
// tests/bindings/api/live/overlay_vectors_spec.lua.
//
//   sequence TITLE          starts again: no window is held
//   epoch BYTES             of the stream from this line on, as on the wire
//   state BYTES             a message; its base is the sequence's window of that version
//   window VERSION SIZE N   the window it leads to, with a line for each entry:
//   entry PLAYER SCORE RANK NAME DATA
//   rejected WHY            or: the message is damaged, and changes nothing
//
// Bytes are hexadecimal. A name or data is in quotes, or "-" if there is none. Scores have 17
// digits, which is exact.
//
//   LAUREL_WRITE_VECTORS=tests/live/vectors.txt test_live -tc='*vectors*'     # writes the file
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "live/wire/delta.h"
#include "live/wire/wire.h"
#include "rank_text.h"

namespace laurel::test {

inline std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// The windows of one stream, and the effect of a message on them.
struct HeldWindows {
  std::uint64_t epoch = 0;
  std::map<std::uint64_t, Window> windows;  // by version

  // The window that the message leads to. If it is damaged, returns nothing and changes nothing.
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

// The file's line for an entry.
inline std::string line_of(const WindowEntry& entry) {
  const auto optional = [](const std::optional<std::string>& text) {
    return text ? "\"" + hex(*text) + "\"" : std::string("-");
  };
  return fmt::format("entry {} {:.17g} {} {} {}", hex(entry.player), entry.score, entry.rank,
                     optional(entry.name), optional(entry.data));
}

// The file's first line for a window.
inline std::string line_of(const Window& window) {
  return fmt::format("window {} {} {}", window.version, window.size, window.entries.size());
}

// The whole file as the encoder writes it: boards from fixed seeds, fields of maximum length, and
// every kind of damage. Each vector is checked with the native decoder.
std::string written_vectors();

}  // namespace laurel::test
