#include "rank/player/player_index.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace laurel {

PlayerIndex::PlayerIndex(const PlayerRecords& records, const HashSecret& secret)
    : records_(records), secret_(secret), directory_(1), segments_(1), deepest_(1) {
  directory_[0] = make_segment(0).release();
}

BlockPtr<PlayerIndex::Segment> PlayerIndex::make_segment(unsigned depth) {
  BlockPtr<Segment> segment(new (block_heap().take(sizeof(Segment))) Segment, {sizeof(Segment)});
  segment->depth() = static_cast<std::uint16_t>(depth);
  return segment;
}

PlayerIndex::~PlayerIndex() {
  Segment* last = nullptr;
  for (Segment* segment : directory_) {
    if (segment != last) give(last);
    last = segment;
  }
  give(last);
}

PlayerHandle PlayerIndex::prefetch_records(std::uint64_t hash) const {
  const Bucket& bucket = bucket_of(hash);
  const unsigned all = matches(bucket, tag_of(hash));
  for (unsigned found = all; found != 0; found &= found - 1) {
    records_.prefetch(bucket.players[std::countr_zero(found)]);
  }
  return all != 0 ? bucket.players[std::countr_zero(all)] : kNoPlayer;
}

// Compares all candidates with the hash's tag.
PlayerHandle PlayerIndex::find_further(std::uint64_t hash, std::string_view id) const {
  const Segment& segment = *directory_[directory_slot(hash)];
  const std::uint8_t tag = tag_of(hash);
  for (unsigned probe = 0; probe < kSegmentBuckets; ++probe) {
    const Bucket& bucket = segment.buckets[(hash + probe) % kSegmentBuckets];
    for (unsigned found = matches(bucket, tag); found != 0; found &= found - 1) {
      const PlayerHandle player = bucket.players[std::countr_zero(found)];
      if (records_.is(player, id)) return player;
    }
    if (bucket.passed == 0) break;
  }
  return kNoPlayer;
}

void PlayerIndex::Segment::add(std::uint64_t hash, PlayerHandle player) {
  for (std::uint64_t probe = hash;; ++probe) {
    Bucket& bucket = buckets[probe % kSegmentBuckets];
    const unsigned free = matches(bucket, 0);
    if (free != 0) {
      const int slot = std::countr_zero(free);
      bucket.tags[slot] = tag_of(hash);
      bucket.players[slot] = player;
      ++used();
      return;
    }
    ++bucket.passed;
  }
}

void PlayerIndex::add(std::uint64_t hash, PlayerHandle player) {
  while (directory_[directory_slot(hash)]->used() >= kSegmentMax) split(directory_slot(hash));
  directory_[directory_slot(hash)]->add(hash, player);
}

void PlayerIndex::remove(std::uint64_t hash, PlayerHandle player) {
  const std::size_t directory_at = directory_slot(hash);
  Segment& segment = *directory_[directory_at];
  const std::uint8_t tag = tag_of(hash);
  for (std::uint64_t probe = hash; probe < hash + kSegmentBuckets; ++probe) {
    Bucket& bucket = segment.buckets[probe % kSegmentBuckets];
    for (unsigned found = matches(bucket, tag); found != 0; found &= found - 1) {
      const int slot = std::countr_zero(found);
      if (bucket.players[slot] != player) continue;
      bucket.tags[slot] = 0;
      --segment.used();
      for (std::uint64_t passed = hash; passed != probe; ++passed) {
        --segment.buckets[passed % kSegmentBuckets].passed;
      }
      if (segment.used() < kSegmentMax / 4) try_merge(directory_at);
      return;
    }
  }
  assert(false && "removed a player whom the index does not have");
}

void PlayerIndex::point_at(std::size_t first, std::size_t count, Segment* segment) {
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(first), count, segment);
}

// Calls take(hash, player) for all players of a segment. While the ids of one bucket are hashed,
// the ids of the next and the records of the one after it are prefetched, since this loop is the
// longest part of any call. Not in lambdas, because g++ 12 drops a lambda that only prefetches.
template <typename Take>
void PlayerIndex::for_each(const Segment& segment, Take take) const {
  for (unsigned at = 0; at < kSegmentBuckets; ++at) {
    const Bucket& behind = segment.buckets[(at + 2) % kSegmentBuckets];
    for (unsigned slot = 0; slot < kBucketSlots; ++slot) {
      if (behind.tags[slot] != 0) records_.prefetch(behind.players[slot]);
    }
    const Bucket& next = segment.buckets[(at + 1) % kSegmentBuckets];
    for (unsigned slot = 0; slot < kBucketSlots; ++slot) {
      if (next.tags[slot] != 0) records_.prefetch_id(next.players[slot]);
    }
    const Bucket& bucket = segment.buckets[at];
    for (unsigned slot = 0; slot < kBucketSlots; ++slot) {
      if (bucket.tags[slot] == 0) continue;
      char bytes[kUnpackRoom];
      char* room = bytes;
      take(secret_(records_.read_id(bucket.players[slot], room)), bucket.players[slot]);
    }
  }
}

void PlayerIndex::split(std::size_t slot) {
  Segment* const full = directory_[slot];
  if (full->depth() == depth_) {
    assert(depth_ < kDepthMax);
    std::vector<Segment*> wider(directory_.size() * 2);
    for (std::size_t i = 0; i < wider.size(); ++i) wider[i] = directory_[i / 2];
    directory_.swap(wider);
    ++depth_;
    deepest_ = 0;
    slot *= 2;
  }
  BlockPtr<Segment> low = make_segment(full->depth() + 1U);
  BlockPtr<Segment> high = make_segment(full->depth() + 1U);
  for_each(*full, [&](std::uint64_t hash, PlayerHandle player) {
    const bool is_high = ((hash >> (63 - full->depth())) & 1U) != 0;
    (is_high ? high : low)->add(hash, player);
  });
  const std::size_t span = std::size_t{1} << (depth_ - full->depth());
  const std::size_t first = slot / span * span;
  if (low->depth() == depth_) deepest_ += 2;
  ++segments_;
  give(full);
  point_at(first, span / 2, low.release());
  point_at(first + span / 2, span / 2, high.release());
}

void PlayerIndex::reserve(std::size_t players) {
  unsigned depth = 0;
  while (std::size_t{kSegmentMax} << depth < players) ++depth;
  for (std::size_t slot = 0; slot < directory_.size();) {
    const unsigned here = directory_[slot]->depth();
    if (here >= depth) {
      slot += std::size_t{1} << (depth_ - here);
      continue;
    }
    const bool widens = here == depth_;  // split() doubles the directory
    split(slot);
    if (widens) slot *= 2;
  }
}

void PlayerIndex::try_merge(std::size_t slot) {
  const Segment* const emptier = directory_[slot];
  if (emptier->depth() == 0) return;
  const std::size_t span = std::size_t{1} << (depth_ - emptier->depth() + 1);
  const std::size_t first = slot / span * span;
  Segment* const low = directory_[first];
  Segment* const high = directory_[first + span / 2];
  if (low->depth() != high->depth() || low->used() + high->used() > kSegmentMax / 2) return;
  BlockPtr<Segment> both = make_segment(low->depth() - 1U);
  const auto add = [&](std::uint64_t hash, PlayerHandle player) { both->add(hash, player); };
  for_each(*low, add);
  for_each(*high, add);
  if (low->depth() == depth_) deepest_ -= 2;
  --segments_;
  give(low);
  give(high);
  point_at(first, span, both.release());

  while (depth_ > 0 && deepest_ == 0) {
    std::vector<Segment*> narrower(directory_.size() / 2);
    for (std::size_t i = 0; i < narrower.size(); ++i) narrower[i] = directory_[i * 2];
    directory_.swap(narrower);
    --depth_;
    for (const Segment* segment : directory_) deepest_ += segment->depth() == depth_ ? 1 : 0;
  }
}

std::size_t PlayerIndex::bytes() const {
  return segments_ * sizeof(Segment) + directory_.capacity() * sizeof(Segment*);
}

}  // namespace laurel
