// durability.h - when a write is on disk, and the names of the modes in scripts and in hosts.
//
//   tick    the writes of a tick are one transaction, which is on disk soon after; no write blocks.
//   always  a write returns when it is on disk.
//   none    as tick, but the system decides when to write. If the process dies, committed
//           transactions survive; if the machine dies, the whole file may be lost.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace laurel {

enum class Durability : std::uint8_t { tick, always, none };

inline constexpr std::array<std::string_view, 3> kDurabilityWords = {"tick", "always", "none"};

inline std::optional<Durability> durability_from_word(std::string_view word) {
  const auto found = std::ranges::find(kDurabilityWords, word);
  if (found == kDurabilityWords.end()) return std::nullopt;
  return static_cast<Durability>(found - kDurabilityWords.begin());
}

}  // namespace laurel
