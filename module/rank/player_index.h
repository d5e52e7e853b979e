// player_index.h - from an id's hash to its handle.
//
// Extendible hashing over segments of open addressing. The top bits of a hash choose a segment
// through a directory, the low ones a bucket in it; a bucket is one cache line of 12 handles and a
// byte of hash for each, so that a look-up compares an id about once. A segment that is full splits
// in two by the next bit; two that are nearly empty become one again. Nothing else ever moves, so
// the longest call is one split: some 2,700 records read.
//
//   threads  none of its own; one caller at a time.
//   cost     find: the directory, one or two buckets, a record. add, remove: O(1) amortised.
//   source   "Extendible Hashing", Fagin et al., TODS 1979; buckets with tags and overflow counts:
//            F14, N. Bronson and X. Shi, 2019
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/block_heap.h"
#include "base/hash.h"
#include "rank/player_records.h"
#include "rank/simd.h"

namespace laurel {

class PlayerIndex {
 public:
  // Both outlive the index.
  PlayerIndex(const PlayerRecords& records, const HashSecret& secret);
  ~PlayerIndex();
  PlayerIndex(const PlayerIndex&) = delete;
  PlayerIndex& operator=(const PlayerIndex&) = delete;

  // The handle of the id, or kNoPlayer. `hash` is the secret's of it, here and below.
  PlayerHandle find(std::uint64_t hash, std::string_view id) const {
    const PlayerHandle likely = likely_at(bucket_of(hash), hash);
    return likely != kNoPlayer && records_.is(likely, id) ? likely : find_further(hash, id);
  }
  // Asks for the cache lines that find and add will look at: first those of the index, then those
  // of the records that may be the id's, of which it names the first.
  void prefetch_bucket(std::uint64_t hash) const { __builtin_prefetch(&bucket_of(hash), 1); }
  void prefetch_room(std::uint64_t hash) const {  // what add alone looks at
    __builtin_prefetch(&directory_[directory_slot(hash)]->used(), 1);
  }
  PlayerHandle prefetch_records(std::uint64_t hash) const;
  // REQUIRES: the handle's record stands, and the index does not have it.
  void add(std::uint64_t hash, PlayerHandle player);
  // Splits now what would have split by the time that there are so many players.
  void expect(std::size_t players);
  // REQUIRES: the index has it.
  void remove(std::uint64_t hash, PlayerHandle player);

  std::size_t bytes() const;

 private:
  static constexpr unsigned kBucketSlots = 12;
  static constexpr unsigned kSegmentBuckets = 256;
  static constexpr unsigned kSegmentMax = kBucketSlots * kSegmentBuckets * 7 / 8;
  static constexpr unsigned kDepthMax = 24;  // 2^24 segments hold every handle four times

  struct alignas(64) Bucket {
    std::uint8_t tags[kBucketSlots] = {};  // 0: free
    std::uint16_t passed = 0;              // players who belong here and are in a later bucket
    std::uint16_t of_segment = 0;          // also makes tags readable as 16 bytes
    PlayerHandle players[kBucketSlots] = {};
  };
  static_assert(sizeof(Bucket) == 64);

  // Four pages exactly: what it knows of itself stands in its first two buckets.
  struct Segment {
    Bucket buckets[kSegmentBuckets];

    std::uint16_t& used() { return buckets[0].of_segment; }
    std::uint16_t used() const { return buckets[0].of_segment; }
    // How many leading bits all its hashes share.
    std::uint16_t& depth() { return buckets[1].of_segment; }
    std::uint16_t depth() const { return buckets[1].of_segment; }
    void add(std::uint64_t hash, PlayerHandle player);
  };
  static_assert(sizeof(Segment) == 16384);
  static BlockPtr<Segment> make_segment(unsigned depth);
  static void give(Segment* segment) { BlockPtr<Segment>(segment, {sizeof(Segment)}); }

  // Bits that choose neither segment nor bucket.
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash >> 16);
    return tag == 0 ? 1 : tag;
  }
  // One bit for each slot with this tag.
  static unsigned matches(const Bucket& bucket, std::uint8_t tag) {
    constexpr unsigned kAll = (1U << kBucketSlots) - 1;
    const auto tags = simd::load<simd::U8x16>(std::assume_aligned<alignof(Bucket)>(&bucket));
    return simd::lane_bits(tags == simd::all_lanes<simd::U8x16>(tag)) & kAll;
  }
  // The first player of the bucket with the hash's tag: nearly always the one who is meant.
  static PlayerHandle likely_at(const Bucket& bucket, std::uint64_t hash) {
    const unsigned found = matches(bucket, tag_of(hash));
    return found != 0 ? bucket.players[std::countr_zero(found)] : kNoPlayer;
  }
  PlayerHandle find_further(std::uint64_t hash, std::string_view id) const;

  std::size_t directory_slot(std::uint64_t hash) const { return (hash >> 1) >> (63 - depth_); }
  const Bucket& bucket_of(std::uint64_t hash) const {
    return directory_[directory_slot(hash)]->buckets[hash % kSegmentBuckets];
  }
  template <typename Take>
  void for_each(const Segment& segment, Take take) const;
  void split(std::size_t slot);
  void try_merge(std::size_t slot);
  void point_at(std::size_t first, std::size_t count, Segment* segment);

  const PlayerRecords& records_;
  const HashSecret& secret_;
  std::vector<Segment*> directory_;  // 2^depth_ slots; a segment of depth d is in 2^(depth_ - d)
  unsigned depth_ = 0;
  std::size_t segments_ = 0;
  std::size_t deepest_ = 0;  // segments whose depth is depth_
};

}  // namespace laurel
