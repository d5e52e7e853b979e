// player_records.h - the record of a handle: the id's bytes and the number of holds.
//
// The id is in the record, so a comparison costs one cache miss. Records have a few sizes, each in
// chunks of its own: for ids of 12 bytes, 20 (64 bits in decimal) and 36 (a UUID). Longer ids are
// allocated separately. Chunks never move; a chunk is freed with its last record.
//
//   owner    the records own the ids' bytes: a view of one is valid until its record is removed.
//   threads  none of its own; one caller at a time.
//   cost     every call O(1). 16, 24 or 40 bytes a record; 16 and its block for longer ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "rank/prefetch.h"

namespace laurel {

using PlayerHandle = std::uint32_t;
inline constexpr PlayerHandle kNoPlayer = 0xFFFFFFFFU;

class PlayerRecords {
 public:
  PlayerRecords() = default;
  ~PlayerRecords();
  PlayerRecords(const PlayerRecords&) = delete;
  PlayerRecords& operator=(const PlayerRecords&) = delete;

  // Adds a record for the id, with one hold.
  // REQUIRES: 1 to kPlayerBytesMax bytes, fewer than kPlayersMax records.
  PlayerHandle add(std::string_view id);
  void hold(PlayerHandle player);
  // Removes one hold. Returns true if others remain. The record keeps its id until remove().
  bool release(PlayerHandle player);
  // REQUIRES: release(player) returned false.
  void remove(PlayerHandle player);

  std::string_view id(PlayerHandle player) const {
    Record& record = at(player);
    return {bytes_of(record), record.size};
  }

  // True if this is the player's id.
  bool is(PlayerHandle player, std::string_view id) const {
    Record& record = at(player);
    return record.size == id.size() && same_bytes(bytes_of(record), id.data(), id.size());
  }

  // Prefetches the record, which contains an id of up to kInlineMax bytes. prefetch_id then
  // prefetches a longer id; it reads the record, so call it when the record is in cache.
  void prefetch(PlayerHandle player) const { laurel::prefetch(&at(player)); }
  void prefetch_id(PlayerHandle player) const {
    Record& record = at(player);
    if (record.size <= kInlineMax) return;
    const char* const id = bytes_of(record);
    for (std::uint32_t byte = 0; byte < record.size; byte += 64) laurel::prefetch(id + byte);
    laurel::prefetch(id + record.size - 1);
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kChunkShift = 12;
  static constexpr std::uint32_t kChunkRecords = 1U << kChunkShift;
  static constexpr std::uint16_t kNoSlot = 0xFFFF;
  static constexpr std::uint32_t kNoChunk = 0xFFFFFFFFU;

  // The header of a record. The id or a pointer to it follows; in a free record, the number of the
  // chunk's next free slot.
  struct Record {
    std::uint32_t holds : 24;  // saturates: a player held 16.7 million times is never freed
    std::uint32_t size : 8;
  };
  static_assert(sizeof(Record) == 4);

  static constexpr std::size_t kClasses = 4;
  static constexpr std::uint8_t kApart = 3;
  static constexpr std::size_t kInlineMax = 36;
  static constexpr std::uint32_t kRecordBytes[kClasses] = {16, 24, 40, 16};
  static std::uint8_t class_of(std::size_t id_bytes) {
    if (id_bytes > kInlineMax) return kApart;
    return static_cast<std::uint8_t>((id_bytes > 12 ? 1 : 0) + (id_bytes > 20 ? 1 : 0));
  }

  // What a lookup reads, in an array of its own, so that it stays in cache.
  struct Span {
    std::byte* records = nullptr;  // may be null while no record of the chunk is used
    std::uint32_t record_bytes = 0;
  };
  struct Chunk {
    std::uint16_t used = 0;
    std::uint16_t touched = 0;  // records from here on were never used
    std::uint16_t free = kNoSlot;
    std::uint8_t size_class = 0;
    bool has_room = false;  // its number is in rooms_
  };

  Record& at(PlayerHandle player) const {
    const Span& span = spans_[player >> kChunkShift];
    return *reinterpret_cast<Record*>(span.records + std::size_t{player & (kChunkRecords - 1)} *
                                                         span.record_bytes);
  }
  static char* inlined(Record& record) { return reinterpret_cast<char*>(&record + 1); }

  static const char* bytes_of(Record& record) {
    if (record.size <= kInlineMax) return inlined(record);
    const char* apart = nullptr;
    std::memcpy(&apart, inlined(record), sizeof apart);
    return apart;
  }

  // Most ids have 8 to 16 bytes. Their first and last eight bytes cover the id, and comparing these
  // needs no function call.
  static bool same_bytes(const char* a, const char* b, std::size_t size) {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    if (size < kWord || size > 2 * kWord) return std::memcmp(a, b, size) == 0;
    const std::size_t last = size - kWord;
    return word_at(a) == word_at(b) && word_at(a + last) == word_at(b + last);
  }
  static std::uint64_t word_at(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  std::uint32_t chunk_with_room(std::uint8_t size_class);
  void take_records(std::uint32_t number);
  void give_records(std::uint32_t number);

  std::vector<Span> spans_;                     // by chunk
  std::vector<Chunk> chunks_;                   // by chunk
  std::vector<std::uint32_t> rooms_[kClasses];  // chunks with room for a record of the class
  std::uint32_t spare_ = kNoChunk;              // the chunk that kept its memory when it was empty
  std::size_t size_ = 0;
  std::size_t bytes_apart_ = 0;
};

}  // namespace laurel
