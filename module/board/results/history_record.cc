#include "board/results/history_record.h"

#include <cstring>

namespace laurel {

namespace {

constexpr std::size_t kPlaceBytes = kShortPlaceBits / 8;
constexpr std::size_t kHeadBytes = 1 + kPlaceBytes + 1;
constexpr ShortPlace kChunkMask = (ShortPlace{1} << (kShortPlaceBits - kOffsetBits)) - 1;

static_assert(kHeadBytes + kPlayerBytesMax + kResultRowBytesMax <= RecordLog::kRecordBytesMax);

}  // namespace

ShortPlace short_place(const RecordLog::Place& place) {
  return (place.chunk & kChunkMask) << kOffsetBits | place.offset;
}

RecordLog::Place full_place(ShortPlace place, std::uint64_t chunk) {
  const std::uint64_t back = (chunk - (place >> kOffsetBits)) & kChunkMask;
  return {chunk - back, static_cast<std::uint32_t>(place & ((1U << kOffsetBits) - 1))};
}

void begin_record(const HistoryRecord& record, std::string& bytes) {
  bytes.resize(kHeadBytes + record.player.size());
  char* at = bytes.data();
  *at++ = static_cast<char>(record.kept);
  std::memcpy(at, &record.before, kPlaceBytes);
  at += kPlaceBytes;
  *at++ = static_cast<char>(record.player.size());
  std::memcpy(at, record.player.data(), record.player.size());
}

std::optional<HistoryRecord> read_record(std::string_view bytes) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  HistoryRecord record;
  record.kept = static_cast<std::uint8_t>(bytes[0]);
  std::memcpy(&record.before, bytes.data() + 1, kPlaceBytes);
  const std::size_t player = static_cast<unsigned char>(bytes[kHeadBytes - 1]);
  if (record.kept > kHistoryMax || player == 0 || bytes.size() < kHeadBytes + player) {
    return std::nullopt;
  }
  record.player = bytes.substr(kHeadBytes, player);
  record.packed = bytes.substr(kHeadBytes + player);
  if ((record.kept == 0) != record.packed.empty()) return std::nullopt;
  return record;
}

}  // namespace laurel
