// id_index.h - a hash table from the hashes of ids to their positions in a ring.
//
// The table is divided into parts by the top bits of a hash: one part as long as there are few ids,
// then kPartsMax. A part has buckets of one cache line with 15 positions, and 12 bits of hash
// beside each, so that a lookup reads one bucket and about one id. A full part grows by a quarter,
// and an almost empty one is halved: the longest call moves the ids of one part, about 4,000.
//
//   ring     has the hash of each position; the table asks for it (`at`), and does not own it.
//   memory   about 6 bytes an id; at most 7.2 if there are many. In blocks of whole units, on huge
//            pages (base/block_heap.h), so that a lookup does not miss the TLB as well.
//   threads  none of its own; one caller at a time.
//   source   buckets with tags and overflow counts: F14, N. Bronson and X. Shi, 2019
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/block_heap.h"
#include "board/results/id_hash.h"
#include "rank/prefetch.h"
#include "rank/simd.h"

namespace laurel {

class IdIndex {
 public:
  static constexpr unsigned kPositionBits = 20;
  // A position is less than this.
  static constexpr std::uint32_t kPositionsMax = (1U << kPositionBits) - 1;

  void prefetch(const IdHash& hash) const {
    const Part& part = part_of(hash);
    if (part.count != 0) laurel::prefetch_to_write(&part.buckets[home(hash, part)]);
  }
  // Whether `is(position)` is true for a position that may have this hash.
  template <typename Is>
  bool find(const IdHash& hash, Is is) const {
    const Part& part = part_of(hash);
    for (std::uint32_t i = 0, at = home(hash, part); i < part.count; ++i, at = next(at, part)) {
      const Bucket& bucket = part.buckets[at];
      for (unsigned found = bucket.with_tag(tag_of(hash)); found != 0; found &= found - 1) {
        const std::uint32_t slot = bucket.slots[std::countr_zero(found)];
        if (slot != kFree && is(slot & kPositionMask)) return true;
      }
      if (bucket.passed == 0) break;
    }
    return false;
  }
  // Adds a position with that hash. `at(position)` is the hash of each position in the table.
  template <typename At>
  void add(const IdHash& hash, std::uint32_t position, At at) {
    if (parts_.size() == 1 && parts_[0].used == kSplitAt) split(at);
    Part& part = part_of(hash);
    if (part.used == part.count * kBucketFill) resize(part, part.count + part.count / 4 + 1, at);
    put(part, hash, position);
  }
  // REQUIRES: the position is in the table, with that hash.
  template <typename At>
  void erase(const IdHash& hash, std::uint32_t position, At at) {
    Part& part = part_of(hash);
    take(part, hash, position);
    if (part.count > 1 && part.used * 4 < part.count * kBucketFill) {
      resize(part, part.count / 2, at);
    }
  }

  std::size_t bytes() const;

 private:
  static constexpr unsigned kSlots = 15;
  static constexpr unsigned kBucketFill = 12;  // of the slots of all buckets, on average
  static constexpr unsigned kPartsMax = 256;
  static constexpr std::uint32_t kSplitAt = 4096;
  static constexpr std::uint32_t kPositionMask = kPositionsMax;
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  struct alignas(64) Bucket {
    std::uint32_t slots[kSlots];  // 12 bits of hash above a position, or kFree
    std::uint32_t passed;         // ids whose probes passed this full bucket

    // One bit for each slot with this tag.
    unsigned with_tag(std::uint32_t tag) const {
      return matches([tag](simd::U32x4 four) {
        return (four >> kPositionBits) == simd::all_lanes<simd::U32x4>(tag);
      });
    }
    unsigned with_slot(std::uint32_t slot) const {
      return matches(
          [slot](simd::U32x4 four) { return four == simd::all_lanes<simd::U32x4>(slot); });
    }
    template <typename Is>
    unsigned matches(Is is) const {
      constexpr unsigned kAll = (1U << kSlots) - 1;
      const auto four = [this](std::size_t i) {
        return simd::load<simd::U32x4>(reinterpret_cast<const std::byte*>(this) + i * 16);
      };
      const simd::Mask16 first = simd::narrow(is(four(0)), is(four(1)));
      const simd::Mask16 second = simd::narrow(is(four(2)), is(four(3)));
      return static_cast<unsigned>(simd::lane_bits(simd::narrow(first, second))) & kAll;
    }
  };
  static_assert(sizeof(Bucket) == 64);

  struct Part {
    BlockPtr<Bucket[]> buckets;
    std::uint32_t count = 0;  // of buckets
    std::uint32_t used = 0;   // slots
  };

  // Bits that select the part, the bucket and the tag: 8 at the top, 32 at the bottom, 12 between.
  static std::uint32_t tag_of(const IdHash& hash) {
    return static_cast<std::uint32_t>(hash.low >> 32) & 0xFFFU;
  }
  static std::uint32_t home(const IdHash& hash, const Part& part) {
    return static_cast<std::uint32_t>((hash.low & 0xFFFFFFFFU) * part.count >> 32);
  }
  static std::uint32_t next(std::uint32_t bucket, const Part& part) {
    return bucket + 1 == part.count ? 0 : bucket + 1;
  }
  static std::uint32_t slot_of(const IdHash& hash, std::uint32_t position) {
    return tag_of(hash) << kPositionBits | position;
  }
  const Part& part_of(const IdHash& hash) const {
    return parts_[parts_.size() == 1 ? 0 : hash.low >> 56];
  }
  Part& part_of(const IdHash& hash) { return parts_[parts_.size() == 1 ? 0 : hash.low >> 56]; }

  static Part make_part(std::uint32_t buckets);
  static void put(Part& part, const IdHash& hash, std::uint32_t position);
  static void take(Part& part, const IdHash& hash, std::uint32_t position);

  template <typename Visit>
  static void each(const Part& part, Visit visit) {
    for (std::uint32_t i = 0; i < part.count; ++i) {
      for (const std::uint32_t slot : part.buckets[i].slots) {
        if (slot != kFree) visit(slot & kPositionMask);
      }
    }
  }
  template <typename At>
  static void resize(Part& part, std::uint32_t buckets, At at) {
    Part other = make_part(buckets);
    each(part, [&](std::uint32_t position) { put(other, at(position), position); });
    part = std::move(other);
  }
  template <typename At>
  void split(At at) {
    std::vector<Part> parts;
    parts.reserve(kPartsMax);
    for (unsigned i = 0; i < kPartsMax; ++i) {
      parts.push_back(make_part(kSplitAt / kPartsMax / kBucketFill + 1));
    }
    std::swap(parts, parts_);
    each(parts[0], [&](std::uint32_t position) { add(at(position), position, at); });
  }

  std::vector<Part> parts_ = std::vector<Part>(1);
};

}  // namespace laurel
