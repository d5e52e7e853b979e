#include "board/results/history_heads.h"

#include <algorithm>
#include <utility>

namespace laurel {

namespace {

constexpr unsigned kNumberBits = 17;
static_assert(kHistoryNumbers == 1U << kNumberBits);
static_assert(kShortPlaceBits + kNumberBits + 7 == 64 && kHistoryMax < 1U << 7U);

std::uint64_t packed(const HistoryHead& head) {
  return head.place | std::uint64_t{head.number} << kShortPlaceBits |
         std::uint64_t{head.kept} << (kShortPlaceBits + kNumberBits);
}

HistoryHead unpacked(std::uint64_t bits) {
  return {.place = bits & ((ShortPlace{1} << kShortPlaceBits) - 1),
          .number = static_cast<std::uint32_t>(bits >> kShortPlaceBits & (kHistoryNumbers - 1)),
          .kept = static_cast<std::uint8_t>(bits >> (kShortPlaceBits + kNumberBits))};
}

}  // namespace

// The slot of the hash, or the free one for it. REQUIRES: there is room.
HistoryHeads::Slot& HistoryHeads::slot_for(const Part& part, std::uint64_t hash) {
  std::uint32_t at = home(hash, part.room);
  while (part.slots[at].bits != 0 && part.slots[at].hash != hash) {
    if (++at == part.room) at = 0;
  }
  return part.slots[at];
}

std::optional<HistoryHead> HistoryHeads::find(std::uint64_t hash) const {
  if (!parts_ || part_of(hash).room == 0) return std::nullopt;
  const Slot& slot = slot_for(part_of(hash), hash);
  if (slot.bits == 0) return std::nullopt;
  return unpacked(slot.bits);
}

void HistoryHeads::set(std::uint64_t hash, const HistoryHead& head) {
  if (!parts_) parts_ = std::make_unique<Parts>();
  Part& part = part_of(hash);
  if (4 * (std::uint64_t{part.used} + 1) > 3 * std::uint64_t{part.room}) {
    slots_ -= part.room;
    grow(part);
    slots_ += part.room;
  }
  Slot& slot = slot_for(part, hash);
  if (slot.bits == 0) ++part.used;
  slot = {hash, packed(head)};
}

void HistoryHeads::grow(Part& part) {
  Part larger;
  larger.room = std::max(part.room + part.room / 4, kRoomMin);
  larger.slots = std::make_unique<Slot[]>(larger.room);
  larger.used = part.used;
  for (std::uint32_t at = 0; at < part.room; ++at) {
    const Slot& slot = part.slots[at];
    if (slot.bits != 0) slot_for(larger, slot.hash) = slot;
  }
  part = std::move(larger);
}

// Slots behind the gap move into it if they are found there: no marks of erased slots are needed.
void HistoryHeads::erase(std::uint64_t hash) {
  if (!parts_ || part_of(hash).room == 0) return;
  Part& part = part_of(hash);
  Slot& found = slot_for(part, hash);
  if (found.bits == 0) return;
  const std::uint32_t room = part.room;
  auto gap = static_cast<std::uint32_t>(&found - part.slots.get());
  for (std::uint32_t at = gap;;) {
    if (++at == room) at = 0;
    const Slot& next = part.slots[at];
    if (next.bits == 0) break;
    const std::uint32_t from_home = (at + room - home(next.hash, room)) % room;
    if (from_home < (at + room - gap) % room) continue;
    part.slots[gap] = next;
    gap = at;
  }
  part.slots[gap].bits = 0;
  --part.used;
}

bool HistoryHeads::free_part() {
  if (!parts_ || freed_ == kParts) return false;
  (*parts_)[freed_++] = {};
  return freed_ < kParts;
}

std::size_t HistoryHeads::bytes() const {
  return parts_ ? sizeof *parts_ + slots_ * sizeof(Slot) : 0;
}

}  // namespace laurel
