#include "engine/row_codec.h"

#include <bit>
#include <cassert>

#include "base/bytes.h"
#include "base/limits.h"

namespace laurel {

std::string pack_row(const EngineRow& row) {
  std::string packed;
  ByteWriter writer(packed, kPackedRowBytesMax);
  writer.u64(row.score);
  writer.u64(std::bit_cast<std::uint64_t>(row.at));
  writer.u8(row.data ? 1 : 0);
  if (row.data) writer.bytes(*row.data);
  assert(writer.ok());
  return packed;
}

EngineRow unpack_row(std::string_view packed) {
  ByteReader reader(packed);
  EngineRow row;
  row.score = reader.u64();
  row.at = std::bit_cast<Time>(reader.u64());
  if (reader.u8() != 0) row.data = reader.bytes(reader.remaining());
  assert(reader.ok());
  return row;
}

}  // namespace laurel
