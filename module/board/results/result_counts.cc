#include "board/results/result_counts.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace laurel {

// The low bits choose the place: the high ones chose the segment.
ResultCounts::Segment::Entry& ResultCounts::Segment::place(std::uint64_t hash) const {
  const auto low = static_cast<std::uint32_t>(hash);
  const auto high = static_cast<std::uint32_t>(hash >> 32);
  for (std::uint32_t at = low & (room_ - 1);; at = (at + 1) & (room_ - 1)) {
    Entry& entry = entries_[at];
    if (entry.count == kFree || (entry.low == low && entry.high == high)) return entry;
  }
}

const std::uint32_t* ResultCounts::Segment::find(std::uint64_t hash) const {
  if (room_ == 0) return nullptr;
  const Entry& entry = place(hash);
  return entry.count == kFree ? nullptr : &entry.count;
}

bool ResultCounts::Segment::set(std::uint64_t hash, std::uint32_t count) {
  if (4 * (used_ + 1) > 3 * room_) grow();
  Entry& entry = place(hash);
  const bool is_new = entry.count == kFree;
  entry = {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32), count};
  used_ += is_new ? 1 : 0;
  return is_new;
}

void ResultCounts::Segment::grow() {
  Segment larger;
  larger.room_ = std::max(2 * room_, std::uint32_t{8});
  larger.entries_ = std::make_unique<Entry[]>(larger.room_);
  larger.used_ = used_;
  for (std::uint32_t at = 0; at < room_; ++at) {
    const Entry& entry = entries_[at];
    if (entry.count == kFree) continue;
    larger.place(std::uint64_t{entry.high} << 32 | entry.low) = entry;
  }
  *this = std::move(larger);
}

std::size_t ResultCounts::Generation::bytes() const {
  if (!segments) return 0;
  std::size_t bytes = sizeof *segments;
  for (const Segment& segment : *segments) bytes += segment.bytes();
  return bytes;
}

std::optional<std::uint32_t> ResultCounts::find(std::uint64_t hash) {
  for (Generation* generation : {&newer_, &older_}) {
    if (!generation->segments) continue;
    if (const std::uint32_t* count = generation->segment(hash).find(hash)) return *count;
  }
  return std::nullopt;
}

bool ResultCounts::set(std::uint64_t hash, std::uint32_t count) {
  bool forgets = false;
  if (newer_.size == kResultCountsMax) {
    forgets = older_.segments != nullptr;
    older_ = std::exchange(newer_, {});
  }
  if (!newer_.segments) {
    newer_.segments = std::make_unique<std::array<Segment, Generation::kSegments>>();
  }
  if (newer_.segment(hash).set(hash, count)) ++newer_.size;
  return forgets;
}

void ResultCounts::clear() {
  newer_ = {};
  older_ = {};
}

}  // namespace laurel
