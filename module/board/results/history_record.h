// history_record.h - a kept result as a record of a RecordLog, linked to the player's result before
// it.
//
//   result    how many results of the player are kept with this one, 1 byte; the place of the one
//             before it, 5 bytes; the player's id after its size in 1 byte; and the packed result
//             (kept_result.h), whose number counts the player's records.
//   end       the same with 0 results and without a packed one: nothing older of the player counts.
//   place     40 bits of a place in the log: the rest follows from any later place, since the store
//             is smaller than what they distinguish.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "board/results/kept_result.h"
#include "store/record_log.h"

namespace laurel {

using ShortPlace = std::uint64_t;
inline constexpr unsigned kShortPlaceBits = 40;
inline constexpr unsigned kOffsetBits = 12;
static_assert(RecordLog::kChunkBytes <= 1U << kOffsetBits);
static_assert(kStoreMapBytesMax >> kOffsetBits <= std::uint64_t{1}
                                                      << (kShortPlaceBits - kOffsetBits));

ShortPlace short_place(const RecordLog::Place& place);
// `chunk`: any from the place's own on.
RecordLog::Place full_place(ShortPlace place, std::uint64_t chunk);

// The numbers of a player's records are compared modulo this.
inline constexpr std::uint32_t kHistoryNumbers = std::uint32_t{1} << 17;

struct HistoryRecord {
  std::uint8_t kept = 0;  // 0: an end
  ShortPlace before = 0;  // if more than one is kept
  std::string_view player;
  std::string_view packed;  // empty in an end
};

// Replaces the content of `bytes`; the packed result is to be appended.
void begin_record(const HistoryRecord& record, std::string& bytes);
// Nullopt if the bytes are not a record. The packed result is not looked at.
std::optional<HistoryRecord> read_record(std::string_view bytes);

}  // namespace laurel
