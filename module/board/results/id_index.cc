#include "board/results/id_index.h"

#include <algorithm>
#include <cassert>

namespace laurel {

IdIndex::Part IdIndex::make_part(std::uint32_t buckets) {
  constexpr std::uint32_t kUnit = BlockHeap::kUnitBytes / sizeof(Bucket);
  if (buckets * sizeof(Bucket) >= BlockHeap::kBlockMin) {
    buckets -= buckets % kUnit;  // a block has whole units; growing by a quarter is more than one
  }
  Part part{make_block_array<Bucket>(buckets), buckets, 0};
  for (std::uint32_t i = 0; i < buckets; ++i) {
    std::ranges::fill(part.buckets[i].slots, kFree);
    part.buckets[i].passed = 0;
  }
  return part;
}

void IdIndex::put(Part& part, const IdHash& hash, std::uint32_t position) {
  assert(part.used < part.count * kSlots);
  std::uint32_t at = home(hash, part);
  unsigned free = part.buckets[at].with_slot(kFree);
  while (free == 0) {
    ++part.buckets[at].passed;
    at = next(at, part);
    free = part.buckets[at].with_slot(kFree);
  }
  part.buckets[at].slots[std::countr_zero(free)] = slot_of(hash, position);
  ++part.used;
}

void IdIndex::take(Part& part, const IdHash& hash, std::uint32_t position) {
  const std::uint32_t slot = slot_of(hash, position);
  std::uint32_t at = home(hash, part);
  unsigned found = part.buckets[at].with_slot(slot);
  while (found == 0) {
    assert(part.buckets[at].passed > 0);
    --part.buckets[at].passed;
    at = next(at, part);
    found = part.buckets[at].with_slot(slot);
  }
  part.buckets[at].slots[std::countr_zero(found)] = kFree;
  --part.used;
}

std::size_t IdIndex::bytes() const {
  std::size_t bytes = parts_.capacity() * sizeof(Part);
  for (const Part& part : parts_) bytes += part.count * sizeof(Bucket);
  return bytes;
}

}  // namespace laurel
