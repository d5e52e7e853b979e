// durability.h - when a write is on the disk, by the words that scripts and hosts have for it.
//
//   tick     each tick's writes are one transaction, on the disk soon after; no write waits.
//   always   a write returns when it is on the disk.
//   none     as tick, when the system likes. A process that dies loses nothing that a transaction
//            had; a machine that dies may lose the file.
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
