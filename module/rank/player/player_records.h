// player_records.h - the record of a handle: the id's bytes and the number of holds.
//
// The id is in the record, so a comparison costs one cache miss. Records have a few kinds, each in
// chunks of its own, so that a record need not say which kind it is: one for each short form of ids
// (id_form.h), and for other texts one for 8, 12, 16, ..., 36 bytes each, and five for up to 10,
// 14, 22, 30 and 38 bytes. Longer ids are allocated separately. Chunks never move; a chunk is freed
// with its last record.
//
//   lines    records of 8, 16 and 32 bytes are in one cache line each. Of those of 12 bytes an
//            eighth is in two lines, of 24 a quarter, of 40 a half. Both lines are prefetched.
//   holds    a byte of the record, and in a map from 255 holds on. Records without a size have it
//            behind all records of the chunk.
//   owner    the records own the ids' bytes.
//   threads  none of its own; one caller at a time.
//   cost     every call O(1). A record takes 9 or 17 bytes with a short form, a byte more than the
//            id if it has 8, 12, ... 36 bytes, else 12, 16, 24, 32 or 40; 9 and its block for
//            longer ids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "rank/player/id_form.h"
#include "rank/player/player_handle.h"
#include "rank/prefetch.h"

namespace laurel {

class PlayerNumbers;

// The text of an id, which is in the object or in the player's record: a view of it is valid as
// long as both. Take a view of a variable only: that of a temporary object would end with it.
class IdText {
 public:
  operator std::string_view() const& { return view_; }
  operator std::string_view() const&& = delete;
  std::string_view view() const& { return view_; }
  std::string_view view() const&& = delete;
  std::string str() const { return std::string(view_); }
  IdText(const IdText&) = delete;
  IdText& operator=(const IdText&) = delete;

 private:
  friend class PlayerRecords;
  template <typename Read>
  explicit IdText(Read read) : view_(read(&room_[0])) {}

  char room_[kUnpackRoom];
  std::string_view view_;
};

class PlayerRecords {
  struct Span;

 public:
  PlayerRecords();
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

  IdText id(PlayerHandle player) const {
    return IdText([&](char* room) { return read_id(player, room); });
  }
  // The same without an object: an id in a short form is written to `room`, which has kUnpackRoom
  // bytes, and `room` is moved behind it. The view is valid as long as the bytes and the record.
  std::string_view read_id(PlayerHandle player, char*& room) const {
    return read_id(locate(player), room);
  }

  // Where a player's record is. Valid until a player is added or removed.
  class Location {
   public:
    // Whether the id is in a short form, so that reading it has to write it out.
    bool is_packed() const { return span_->kind < kFirstPlain; }

   private:
    friend class PlayerRecords;
    const Span* span_;
    const std::byte* record_;
  };
  Location locate(PlayerHandle player) const {
    Location location;
    location.span_ = &span_of(player);
    location.record_ = record_of(*location.span_, player);
    return location;
  }
  static std::string_view read_id(Location location, char*& room) {
    if (location.is_packed()) return unpacked(*location.span_, location.record_, room);
    return plain_text(*location.span_, location.record_);
  }

  // True if this is the player's id.
  bool is(PlayerHandle player, std::string_view id) const {
    const Span& span = span_of(player);
    const std::byte* const record = record_of(span, player);
    if (span.text_bytes == id.size()) {
      return same_bytes(reinterpret_cast<const char*>(record), id.data(), id.size());
    }
    if (span.kind < kFirstPlain) {
      return is_id(static_cast<IdForm>(span.kind), packed_at(span, record), id);
    }
    const std::string_view text = plain_text(span, record);
    return text.size() == id.size() && same_bytes(text.data(), id.data(), id.size());
  }
  // Compares the ids' bytes: negative if a's are before b's, 0 if they are equal.
  int compare(PlayerHandle a, PlayerHandle b) const;

  // Prefetches the record, which contains an id of up to kInlineMax bytes. prefetch_id then
  // prefetches a longer id; it reads the record, so call it when the record is in cache.
  Location prefetch(PlayerHandle player) const {
    const Location location = locate(player);
    laurel::prefetch(location.record_);
    laurel::prefetch(location.record_ + location.span_->record_bytes - 1);
    return location;
  }
  void prefetch_id(PlayerHandle player) const {
    const Span& span = span_of(player);
    if (span.kind != kApart) return;
    const std::string_view id = plain_text(span, record_of(span, player));
    for (std::size_t byte = 0; byte < id.size(); byte += 64) laurel::prefetch(id.data() + byte);
    laurel::prefetch(id.data() + id.size() - 1);
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kChunkShift = 12;
  static constexpr std::uint32_t kChunkRecords = 1U << kChunkShift;
  static constexpr std::uint16_t kNoSlot = 0xFFFF;
  static constexpr std::uint32_t kNoChunk = 0xFFFFFFFFU;
  static constexpr std::uint8_t kManyHolds = 0xFF;  // the number is in many_holds_

  // Kinds of records, in this order.
  //
  //   short form   its 8 or 16 bytes.
  //   exact        the text; all of the kind have the same size.
  //   sized        the holds, the size, the text.
  //   apart        a pointer to the size and the text.
  //
  // The last two bytes of a free record are the number of the chunk's next free slot.
  static constexpr std::uint8_t kExactBytes[] = {8, 12, 16, 20, 24, 28, 32, 36};
  static constexpr std::uint8_t kSizedBytes[] = {12, 16, 24, 32, 40};
  static constexpr std::uint8_t kFirstPlain = kIdForms;
  static constexpr std::uint8_t kFirstSized = kFirstPlain + std::size(kExactBytes);
  static constexpr std::uint8_t kApart = kFirstSized + std::size(kSizedBytes);
  static constexpr std::size_t kKinds = kApart + 1;
  static constexpr std::size_t kSizedHead = 2;  // bytes in front of the text
  static constexpr std::size_t kInlineMax = 38;
  static const std::array<std::uint8_t, kInlineMax + 1> kPlainKinds;  // by size
  static std::uint8_t kind_of(std::string_view id, PackedId& packed);

  // What a lookup reads, in an array of its own, so that it stays in cache.
  struct Span {
    std::byte* records = nullptr;  // may be null while no record of the chunk is used
    std::uint8_t record_bytes = 0;
    std::uint8_t kind = 0;
    std::uint8_t text_bytes = 0;  // of an exact text
    std::uint8_t holds_step = 0;  // the holds of slot i are at holds_from + i * holds_step
    std::uint32_t holds_from = 0;
  };
  static_assert(sizeof(Span) == 16);
  static Span span_of_kind(std::uint8_t kind);
  static std::size_t chunk_bytes(const Span& span) {
    return std::size_t{kChunkRecords} * span.record_bytes +
           (span.holds_from > 0 ? kChunkRecords : 0);
  }
  struct Chunk {
    std::uint16_t used = 0;
    std::uint16_t touched = 0;  // records from here on were never used
    std::uint16_t free = kNoSlot;
    bool has_room = false;  // its number is in rooms_
  };

  const Span& span_of(PlayerHandle player) const { return spans_[player >> kChunkShift]; }
  static std::byte* record_of(const Span& span, PlayerHandle player) {
    return span.records + std::size_t{player & (kChunkRecords - 1)} * span.record_bytes;
  }
  std::uint8_t& holds_of(PlayerHandle player) const { return holds_of(span_of(player), player); }
  static std::uint8_t& holds_of(const Span& span, PlayerHandle player) {
    const std::size_t at =
        span.holds_from + std::size_t{player & (kChunkRecords - 1)} * span.holds_step;
    return reinterpret_cast<std::uint8_t&>(span.records[at]);
  }

  static std::byte* next_free(const Span& span, std::byte* record) {
    return record + span.record_bytes - sizeof(std::uint16_t);
  }
  static std::uint64_t number_at(const std::byte* bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }
  static PackedId packed_at(const Span& span, const std::byte* record) {
    return {number_at(record), span.record_bytes == 8 ? 0 : number_at(record + 8)};
  }
  // Not inlined, to keep the path of plain texts short.
  static std::string_view unpacked(const Span& span, const std::byte* record, char*& room);
  static std::string_view plain_text(const Span& span, const std::byte* record) {
    const char* text = reinterpret_cast<const char*>(record);
    if (span.text_bytes != 0) return {text, span.text_bytes};
    text += kSizedHead;
    if (span.kind == kApart) {
      std::memcpy(&text, record, sizeof text);
      ++text;
    }
    return {text, static_cast<unsigned char>(text[-1])};
  }

  // Most ids have 8 to 16 bytes. Their first and last eight bytes cover the id, and comparing or
  // copying these needs no function call. Texts of no bytes are not the same: no player has such an
  // id, but a span's text_bytes of 0 is also the size of an empty text that is looked up.
  static constexpr std::size_t kWord = sizeof(std::uint64_t);
  static constexpr bool is_word_pair(std::size_t size) { return size - kWord <= kWord; }
  static bool same_bytes(const char* a, const char* b, std::size_t size) {
    if (!is_word_pair(size)) return size != 0 && std::memcmp(a, b, size) == 0;
    const std::size_t last = size - kWord;
    return word_at(a) == word_at(b) && word_at(a + last) == word_at(b + last);
  }
  static void copy_word_pair(char* to, std::string_view from) {
    const std::size_t last = from.size() - kWord;
    std::memcpy(to, from.data(), kWord);
    std::memcpy(to + last, from.data() + last, kWord);
  }
  static std::uint64_t word_at(const char* bytes) {
    return number_at(reinterpret_cast<const std::byte*>(bytes));
  }

  void make_room(std::uint8_t kind);
  std::uint32_t chunk_with_room(std::uint8_t kind);
  void take_records(std::uint32_t number);
  void give_records(std::uint32_t number);
  void give_apart(PlayerHandle player);

  std::vector<Span> spans_;                    // by chunk
  std::vector<Chunk> chunks_;                  // by chunk
  std::vector<std::uint32_t> rooms_[kKinds];   // chunks with room for a record of the kind
  std::unique_ptr<PlayerNumbers> many_holds_;  // null until a player has many
  std::uint32_t spare_ = kNoChunk;             // the chunk that kept its memory when it was empty
  std::size_t size_ = 0;
  std::size_t bytes_apart_ = 0;
};

}  // namespace laurel
