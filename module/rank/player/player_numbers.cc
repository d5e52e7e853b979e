#include "rank/player/player_numbers.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace laurel {

void PlayerNumbers::Range::resize(std::uint32_t slots_wanted) {
  Range old = std::move(*this);
  slots = slots_wanted;
  used = old.used;
  home_shift = static_cast<std::uint8_t>(std::countl_zero(slots) + 1);
  numbers = make_block_array<std::uint32_t>(slots);
  std::fill_n(numbers.get(), slots, kNoNumber);
  keys = slots == kRangeHandles ? nullptr : std::make_unique_for_overwrite<std::uint16_t[]>(slots);
  for (std::uint32_t i = 0; i < old.slots; ++i) {
    if (old.numbers[i] == kNoNumber) continue;
    const std::uint32_t key = old.keys ? old.keys[i] : i;
    const std::uint32_t to = keys ? slot(key) : key;
    numbers[to] = old.numbers[i];
    if (keys) keys[to] = static_cast<std::uint16_t>(key);
  }
}

// Resizes to the number of slots that single puts would reach.
void PlayerNumbers::Range::make_room(std::uint32_t more) {
  const std::uint32_t wanted = used + more;
  std::uint32_t room = std::max(slots, kHashedMin);
  while (wanted * 4 > room * 3) room *= 2;
  if (wanted > kDenseFrom) room = kRangeHandles;
  if (more > 0 && room > slots) resize(room);
}

void PlayerNumbers::Range::put(std::uint32_t key, std::uint32_t number) {
  if (slots == 0) resize(kHashedMin);
  if (!keys) {
    if (numbers[key] == kNoNumber) ++used;
    numbers[key] = number;
    return;
  }
  std::uint32_t to = slot(key);
  if (numbers[to] == kNoNumber) {
    if ((used + 1U) * 4 > slots * 3 || used + 1U > kDenseFrom) {
      resize(used + 1U > kDenseFrom ? kRangeHandles : slots * 2);
      put(key, number);
      return;
    }
    ++used;
    keys[to] = static_cast<std::uint16_t>(key);
  }
  numbers[to] = number;
}

void PlayerNumbers::Range::erase(std::uint32_t key) {
  assert(find(key) != kNoNumber);
  --used;
  if (!keys) {
    numbers[key] = kNoNumber;
    if (used < kDenseBelow) resize(kRangeHandles / 4);
    return;
  }
  // Close the gap: move back the following keys that may be in it.
  std::uint32_t gap = slot(key);
  for (std::uint32_t next = (gap + 1) & (slots - 1); numbers[next] != kNoNumber;
       next = (next + 1) & (slots - 1)) {
    const std::uint32_t from_home = (next - home(keys[next])) & (slots - 1);
    if (from_home < ((next - gap) & (slots - 1))) continue;
    numbers[gap] = numbers[next];
    keys[gap] = keys[next];
    gap = next;
  }
  numbers[gap] = kNoNumber;
  if (used == 0) {
    *this = Range{};
  } else if (slots > kHashedMin && used * 5U < slots) {
    resize(slots / 2);
  }
}

void PlayerNumbers::make_room(const std::vector<std::uint32_t>& more) {
  if (more.size() > ranges_.size()) ranges_.resize(more.size());
  for (std::size_t range = 0; range < more.size(); ++range) ranges_[range].make_room(more[range]);
}

void PlayerNumbers::set(PlayerHandle player, std::uint32_t number) {
  const std::size_t range = player >> kRangeShift;
  if (range >= ranges_.size()) ranges_.resize(range + 1);
  ranges_[range].put(player & (kRangeHandles - 1), number);
}

void PlayerNumbers::erase(PlayerHandle player) {
  ranges_[player >> kRangeShift].erase(player & (kRangeHandles - 1));
  // At most two of the empty ranges at the end go. With all of them, a single player who comes and
  // goes would cost the whole list each time.
  for (int i = 0; i < 2 && !ranges_.empty() && ranges_.back().used == 0; ++i) ranges_.pop_back();
}

std::size_t PlayerNumbers::bytes() const {
  std::size_t bytes = ranges_.capacity() * sizeof(Range);
  for (const Range& range : ranges_) {
    bytes += range.slots * (sizeof(std::uint32_t) + (range.keys ? sizeof(std::uint16_t) : 0));
  }
  return bytes;
}

}  // namespace laurel
