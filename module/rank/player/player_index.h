// player_index.h - a hash table from ids to handles.
//
// Extendible hashing over segments with open addressing. The top bits of a hash select a segment
// through a directory, the low bits a bucket in it. A bucket is one cache line with 12 handles and
// one byte of hash for each, so a lookup compares about one id. A full segment splits in two by the
// next bit; two almost empty ones are merged. Nothing else moves, so the longest call is one split,
// which reads about 2,700 records.
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
#include "rank/player/player_records.h"
#include "rank/prefetch.h"
#include "rank/simd.h"

namespace laurel {

class PlayerIndex {
 public:
  // Both must outlive the index.
  PlayerIndex(const PlayerRecords& records, const HashSecret& secret);
  ~PlayerIndex();
  PlayerIndex(const PlayerIndex&) = delete;
  PlayerIndex& operator=(const PlayerIndex&) = delete;

  // The handle of the id, or kNoPlayer. In all calls `hash` is the id's hash with the secret.
  PlayerHandle find(std::uint64_t hash, std::string_view id) const {
    const PlayerHandle likely = likely_at(bucket_of(hash), hash);
    return likely != kNoPlayer && records_.is(likely, id) ? likely : find_further(hash, id);
  }
  // Prefetch the cache lines that find and add read: first the bucket, then the records that may be
  // the id's. prefetch_records returns the first of these, or kNoPlayer.
  void prefetch_bucket(std::uint64_t hash) const { laurel::prefetch_to_write(&bucket_of(hash)); }
  void prefetch_room(std::uint64_t hash) const {  // read by add only
    laurel::prefetch_to_write(&directory_[directory_slot(hash)]->used());
  }
  PlayerHandle prefetch_records(std::uint64_t hash) const;
  // REQUIRES: the handle has a record and is not in the index.
  void add(std::uint64_t hash, PlayerHandle player);
  // Splits the segments now that would be split by the time there are `players` players.
  void reserve(std::size_t players);
  // REQUIRES: the player is in the index.
  void remove(std::uint64_t hash, PlayerHandle player);

  std::size_t bytes() const;

 private:
  static constexpr unsigned kBucketSlots = 12;
  static constexpr unsigned kSegmentBuckets = 256;
  static constexpr unsigned kSegmentMax = kBucketSlots * kSegmentBuckets * 7 / 8;
  static constexpr unsigned kDepthMax = 24;  // 2^24 segments hold every handle four times

  struct alignas(64) Bucket {
    std::uint8_t tags[kBucketSlots] = {};  // 0: free
    std::uint16_t passed = 0;              // players whose probes passed this full bucket
    std::uint16_t of_segment = 0;          // also makes tags readable as 16 bytes
    PlayerHandle players[kBucketSlots] = {};
  };
  static_assert(sizeof(Bucket) == 64);

  // Exactly four pages: its own fields are in the first two buckets.
  struct Segment {
    Bucket buckets[kSegmentBuckets];

    std::uint16_t& used() { return buckets[0].of_segment; }
    std::uint16_t used() const { return buckets[0].of_segment; }
    // The number of leading bits that all its hashes share.
    std::uint16_t& depth() { return buckets[1].of_segment; }
    std::uint16_t depth() const { return buckets[1].of_segment; }
    void add(std::uint64_t hash, PlayerHandle player);
  };
  static_assert(sizeof(Segment) == 16384);
  static BlockPtr<Segment> make_segment(unsigned depth);
  static void give(Segment* segment) { BlockPtr<Segment>(segment, {sizeof(Segment)}); }

  // A tag has bits that select neither segment nor bucket.
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
  // The first player of the bucket with the hash's tag: almost always the right one.
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
