// activity_codec.h - encodes a player's activity as bytes, for hiding and for persisting it.
//
//   form  moment 8 bytes; the number of amounts, LEB128; for each amount its bucket (the first in 8
//         bytes, later ones as the distance from the previous one, LEB128) and its key in 8 bytes;
//         one byte 0 or 1 and, after 1, the data up to the end.
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

// REQUIRES: at least one amount; all amounts are in one window.
std::string pack_activity(Time at, std::span<const Amount> amounts,
                          std::optional<std::string_view> data);
// As above, but appends to `packed`, and does not allocate if its capacity suffices.
void pack_activity(Time at, std::span<const Amount> amounts, std::optional<std::string_view> data,
                   std::string& packed);
// The data is a view of `packed`. REQUIRES: pack_activity made it.
PackedActivity unpack_activity(std::string_view packed);
// As unpack_activity, for untrusted bytes: nullopt if they are not an activity. The caller must
// check that the amounts are in one window and that their sums are in range.
std::optional<PackedActivity> read_activity(std::string_view packed);

}  // namespace laurel
