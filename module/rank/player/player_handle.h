// player_handle.h - the number by which a registry's boards name a player.
#pragma once

#include <cstdint>

namespace laurel {

using PlayerHandle = std::uint32_t;
inline constexpr PlayerHandle kNoPlayer = 0xFFFFFFFFU;

}  // namespace laurel
