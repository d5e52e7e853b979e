// row_codec.h - a row's score, moment and data as bytes, for values in a store and for hidden
// entries.
//
//   form   score key 8 bytes, moment 8 bytes, one byte 0 or 1 and, after 1, the data up to the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace laurel {

inline constexpr std::size_t kPackedRowBytesMax = 17 + kDataBytesMax;

std::string pack_row(const EngineRow& row);
// The same in place of what the string held: allocates nothing once that has the room.
void pack_row(const EngineRow& row, std::string& packed);
// Views of the row's data are into `packed`. REQUIRES: pack_row made it.
EngineRow unpack_row(std::string_view packed);
// The same of bytes that come from elsewhere: nothing when they are no row.
std::optional<EngineRow> read_row(std::string_view packed);

}  // namespace laurel
