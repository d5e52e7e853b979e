// activity_codec.h - a player's activity as bytes, for hiding it and for keeping it.
//
//   form   moment 8 bytes; how many amounts, LEB128; of each its bucket, the first in 8 bytes, the
//          later ones as the distance from the one before, LEB128, and its key in 8 bytes; one byte
//          0 or 1 and, after 1, the data up to the end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/time.h"
#include "engine/rolling/window_sums.h"

namespace laurel {

inline constexpr std::size_t kPackedActivityBytesMax = 21 + kBucketsMax * 10 + kDataBytesMax;

struct PackedActivity {
  Time at = 0;
  std::vector<Amount> amounts;
  std::optional<std::string_view> data;
};

// REQUIRES: the amounts lie in one window; there is at least one.
std::string pack_activity(Time at, std::span<const Amount> amounts,
                          std::optional<std::string_view> data);
// The same behind what the string holds: allocates nothing once that has the room.
void pack_activity(Time at, std::span<const Amount> amounts, std::optional<std::string_view> data,
                   std::string& packed);
// The view of data is into `packed`. REQUIRES: pack_activity made it.
PackedActivity unpack_activity(std::string_view packed);
// The same of bytes that come from elsewhere: nothing when they are no activity. Whether its
// amounts lie in a window, and what they come to, is for the reader to ask.
std::optional<PackedActivity> read_activity(std::string_view packed);

}  // namespace laurel
