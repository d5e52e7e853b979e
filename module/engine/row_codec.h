// row_codec.h - encodes a row's score, moment and data as bytes, for values in a store and for
// hidden entries.
//
//   form  score key 8 bytes, moment 8 bytes, one byte 0 or 1 and, after 1, the data up to the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "engine/engine_row.h"

namespace laurel {

inline constexpr std::size_t kPackedRowBytesMax = 17 + kDataBytesMax;

std::string pack_row(const EngineRow& row);
// As above, but replaces the content of `packed`, and does not allocate if its capacity suffices.
void pack_row(const EngineRow& row, std::string& packed);
// The row's data is a view of `packed`. REQUIRES: pack_row made it.
EngineRow unpack_row(std::string_view packed);
// As unpack_row, for untrusted bytes: nullopt if they are not a valid row.
std::optional<EngineRow> read_row(std::string_view packed);

}  // namespace laurel
