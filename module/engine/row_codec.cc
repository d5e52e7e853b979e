#include "engine/row_codec.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "base/limits.h"

namespace laurel {

namespace {

// Offsets of the moment, of the byte that tells if there is data, and of the data.
constexpr std::size_t kMomentAt = 8;
constexpr std::size_t kHasDataAt = 16;
constexpr std::size_t kDataAt = 17;

static_assert(std::endian::native == std::endian::little, "numbers in values are little-endian");

}  // namespace

std::string pack_row(const EngineRow& row) {
  std::string packed;
  pack_row(row, packed);
  return packed;
}

void pack_row(const EngineRow& row, std::string& packed) {
  assert(!row.data || row.data->size() <= kDataBytesMax);
  packed.resize(kDataAt);
  std::memcpy(packed.data(), &row.score, sizeof row.score);
  std::memcpy(packed.data() + kMomentAt, &row.at, sizeof row.at);
  packed[kHasDataAt] = row.data ? 1 : 0;
  if (row.data) packed.append(*row.data);
}

EngineRow unpack_row(std::string_view packed) {
  const std::optional<EngineRow> row = read_row(packed);
  assert(row && "bytes that pack_row made");
  return row.value_or(EngineRow{});
}

std::optional<EngineRow> read_row(std::string_view packed) {
  if (packed.size() < kDataAt || packed.size() > kPackedRowBytesMax) return std::nullopt;
  std::optional<EngineRow> row(std::in_place);
  std::memcpy(&row->score, packed.data(), sizeof row->score);
  std::memcpy(&row->at, packed.data() + kMomentAt, sizeof row->at);
  const char has_data = packed[kHasDataAt];
  if (has_data == 1) {
    row->data = packed.substr(kDataAt);
  } else if (has_data != 0 || packed.size() > kDataAt) {
    return std::nullopt;
  }
  return row;
}

}  // namespace laurel
