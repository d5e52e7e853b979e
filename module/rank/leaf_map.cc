#include "rank/leaf_map.h"

#include <algorithm>
#include <cassert>

namespace laurel {

void LeafMap::Range::resize(std::uint32_t slots_wanted) {
  Range old = std::move(*this);
  slots = slots_wanted;
  used = old.used;
  leaves = make_block_array<LeafNumber>(slots);
  std::fill_n(leaves.get(), slots, kNoLeaf);
  keys = slots == kRangeHandles ? nullptr : std::make_unique_for_overwrite<std::uint16_t[]>(slots);
  for (std::uint32_t i = 0; i < old.slots; ++i) {
    if (old.leaves[i] == kNoLeaf) continue;
    const std::uint32_t key = old.keys ? old.keys[i] : i;
    const std::uint32_t to = keys ? slot(key) : key;
    leaves[to] = old.leaves[i];
    if (keys) keys[to] = static_cast<std::uint16_t>(key);
  }
}

// As many slots as it would have come to.
void LeafMap::Range::make_room(std::uint32_t more) {
  const std::uint32_t wanted = used + more;
  std::uint32_t room = std::max(slots, kHashedMin);
  while (wanted * 4 > room * 3) room *= 2;
  if (wanted > kDenseFrom) room = kRangeHandles;
  if (more > 0 && room > slots) resize(room);
}

void LeafMap::Range::put(std::uint32_t key, LeafNumber leaf) {
  if (slots == 0) resize(kHashedMin);
  if (!keys) {
    used += leaves[key] == kNoLeaf ? 1 : 0;
    leaves[key] = leaf;
    return;
  }
  std::uint32_t to = slot(key);
  if (leaves[to] == kNoLeaf) {
    if ((used + 1) * 4 > slots * 3 || used + 1 > kDenseFrom) {
      resize(used + 1 > kDenseFrom ? kRangeHandles : slots * 2);
      put(key, leaf);
      return;
    }
    ++used;
    keys[to] = static_cast<std::uint16_t>(key);
  }
  leaves[to] = leaf;
}

void LeafMap::Range::erase(std::uint32_t key) {
  assert(find(key) != kNoLeaf);
  --used;
  if (!keys) {
    leaves[key] = kNoLeaf;
    if (used < kDenseBelow) resize(kRangeHandles / 4);
    return;
  }
  // Close the gap: whoever may stand in it comes nearer to his home.
  std::uint32_t gap = slot(key);
  for (std::uint32_t next = (gap + 1) & (slots - 1); leaves[next] != kNoLeaf;
       next = (next + 1) & (slots - 1)) {
    const std::uint32_t from_home = (next - home(keys[next])) & (slots - 1);
    if (from_home < ((next - gap) & (slots - 1))) continue;
    leaves[gap] = leaves[next];
    keys[gap] = keys[next];
    gap = next;
  }
  leaves[gap] = kNoLeaf;
  if (used == 0) {
    *this = Range{};
  } else if (slots > kHashedMin && used * 5 < slots) {
    resize(slots / 2);
  }
}

void LeafMap::make_room(const std::vector<std::uint32_t>& more) {
  if (more.size() > ranges_.size()) ranges_.resize(more.size());
  for (std::size_t range = 0; range < more.size(); ++range) ranges_[range].make_room(more[range]);
}

void LeafMap::set(PlayerHandle player, LeafNumber leaf) {
  const std::size_t range = player >> kRangeShift;
  if (range >= ranges_.size()) ranges_.resize(range + 1);
  ranges_[range].put(player & (kRangeHandles - 1), leaf);
}

void LeafMap::erase(PlayerHandle player) {
  ranges_[player >> kRangeShift].erase(player & (kRangeHandles - 1));
  while (!ranges_.empty() && ranges_.back().used == 0) ranges_.pop_back();
}

std::size_t LeafMap::bytes() const {
  std::size_t bytes = ranges_.capacity() * sizeof(Range);
  for (const Range& range : ranges_) {
    bytes += range.slots * (sizeof(LeafNumber) + (range.keys ? sizeof(std::uint16_t) : 0));
  }
  return bytes;
}

}  // namespace laurel
