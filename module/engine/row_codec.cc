#include "engine/row_codec.h"

#include <bit>
#include <cassert>

#include "base/bytes.h"
#include "base/limits.h"

namespace laurel {

std::string pack_row(const EngineRow& row) {
  std::string packed;
  pack_row(row, packed);
  return packed;
}

void pack_row(const EngineRow& row, std::string& packed) {
  packed.clear();
  ByteWriter writer(packed, kPackedRowBytesMax);
  writer.u64(row.score);
  writer.u64(std::bit_cast<std::uint64_t>(row.at));
  writer.u8(row.data ? 1 : 0);
  if (row.data) writer.bytes(*row.data);
  assert(writer.ok());
}

EngineRow unpack_row(std::string_view packed) {
  const std::optional<EngineRow> row = read_row(packed);
  assert(row && "bytes that pack_row made");
  return row.value_or(EngineRow{});
}

std::optional<EngineRow> read_row(std::string_view packed) {
  ByteReader reader(packed);
  EngineRow row;
  row.score = reader.u64();
  row.at = std::bit_cast<Time>(reader.u64());
  const std::uint8_t has_data = reader.u8();
  if (has_data == 1) row.data = reader.bytes(reader.remaining());
  if (!reader.ok() || !reader.at_end() || has_data > 1) return std::nullopt;
  if (row.data && row.data->size() > kDataBytesMax) return std::nullopt;
  return row;
}

}  // namespace laurel
