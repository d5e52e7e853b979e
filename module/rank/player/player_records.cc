#include "rank/player/player_records.h"

#include <cassert>

#include "base/block_heap.h"
#include "base/limits.h"
#include "rank/player/player_numbers.h"

namespace laurel {

namespace {

// The size of a block with the allocator's overhead: its size field, and rounding to 16 bytes.
constexpr std::size_t block_bytes(std::size_t size) { return (size + 8 + 15) / 16 * 16; }

// Fewer holds than this leave the map again.
constexpr std::uint32_t kFewHolds = 128;

}  // namespace

PlayerRecords::PlayerRecords() = default;

PlayerRecords::~PlayerRecords() {
  for (std::uint32_t number = 0; number < chunks_.size(); ++number) {
    const Chunk& chunk = chunks_[number];
    if (spans_[number].kind == kApart && chunk.used > 0) {
      for (std::uint32_t slot = 0; slot < chunk.touched; ++slot) {
        const PlayerHandle player = number << kChunkShift | slot;
        if (holds_of(player) != 0) give_apart(player);
      }
    }
    give_records(number);
  }
}

constexpr std::array<std::uint8_t, PlayerRecords::kInlineMax + 1> PlayerRecords::kPlainKinds = [] {
  std::array<std::uint8_t, kInlineMax + 1> kinds{};
  for (std::size_t size = 0; size < kinds.size(); ++size) {
    kinds[size] = kFirstSized;
    while (kSizedBytes[kinds[size] - kFirstSized] < kSizedHead + size) ++kinds[size];
  }
  std::uint8_t exact = kFirstPlain;
  for (const std::uint8_t size : kExactBytes) kinds[size] = exact++;
  return kinds;
}();

std::uint8_t PlayerRecords::kind_of(std::string_view id, PackedId& packed) {
  const IdForm form = pack_id(id, packed);
  if (form != IdForm::plain) return static_cast<std::uint8_t>(form);
  return id.size() > kInlineMax ? kApart : kPlainKinds[id.size()];
}

PlayerRecords::Span PlayerRecords::span_of_kind(std::uint8_t kind) {
  Span span;
  span.kind = kind;
  if (kind < kFirstPlain) {
    span.record_bytes = static_cast<std::uint8_t>(packed_bytes(static_cast<IdForm>(kind)));
  } else if (kind < kFirstSized) {
    span.record_bytes = span.text_bytes = kExactBytes[kind - kFirstPlain];
  } else {
    span.record_bytes = kind < kApart ? kSizedBytes[kind - kFirstSized] : sizeof(char*);
  }
  const bool is_sized = kind >= kFirstSized && kind < kApart;
  span.holds_step = is_sized ? span.record_bytes : 1;
  span.holds_from = is_sized ? 0 : kChunkRecords * span.record_bytes;
  return span;
}

void PlayerRecords::take_records(std::uint32_t number) {
  Span& span = spans_[number];
  span.records = static_cast<std::byte*>(block_heap().take(chunk_bytes(span)));
}

void PlayerRecords::give_records(std::uint32_t number) {
  Span& span = spans_[number];
  if (span.records != nullptr) block_heap().give(span.records, chunk_bytes(span));
  span.records = nullptr;
}

// Out of line: once in kChunkRecords players.
[[gnu::noinline]] void PlayerRecords::make_room(std::uint8_t kind) {
  std::vector<std::uint32_t>& rooms = rooms_[kind];
  if (rooms.empty()) {
    assert(chunks_.size() < kPlayersMax / kChunkRecords && "too many players");
    rooms.push_back(static_cast<std::uint32_t>(chunks_.size()));
    chunks_.push_back({.has_room = true});
    spans_.push_back(span_of_kind(kind));
  }
  const std::uint32_t number = rooms.back();
  if (spans_[number].records != nullptr) return;
  take_records(number);
  chunks_[number].touched = 0;
  chunks_[number].free = kNoSlot;
}

// The chunk to which a record of the kind is added.
inline std::uint32_t PlayerRecords::chunk_with_room(std::uint8_t kind) {
  const std::vector<std::uint32_t>& rooms = rooms_[kind];
  if (rooms.empty() || spans_[rooms.back()].records == nullptr) make_room(kind);
  return rooms.back();
}

PlayerHandle PlayerRecords::add(std::string_view id) {
  assert(!id.empty() && id.size() <= kPlayerBytesMax && "an id has 1 to 255 bytes");
  PackedId packed;
  const std::uint8_t kind = id.size() < kPackedMin ? kPlainKinds[id.size()] : kind_of(id, packed);
  const std::uint32_t number = chunk_with_room(kind);
  Chunk& chunk = chunks_[number];
  const bool is_used_again = chunk.free != kNoSlot;
  const std::uint16_t slot = is_used_again ? chunk.free : chunk.touched++;
  const PlayerHandle player = number << kChunkShift | slot;
  const Span& span = spans_[number];
  std::byte* const record = record_of(span, player);
  if (is_used_again) std::memcpy(&chunk.free, next_free(span, record), sizeof chunk.free);
  if (++chunk.used == kChunkRecords) {
    chunk.has_room = false;
    rooms_[kind].pop_back();
  }
  ++size_;

  char* text = reinterpret_cast<char*>(record);
  if (kind < kFirstPlain) {
    std::memcpy(record, packed.data(), span.record_bytes);
  } else if (is_word_pair(span.text_bytes)) {
    copy_word_pair(text, id);
  } else {
    if (kind == kApart) {
      text = new char[1 + id.size()];
      std::memcpy(record, &text, sizeof text);
      bytes_apart_ += block_bytes(1 + id.size());
      *text++ = static_cast<char>(id.size());
    } else if (kind >= kFirstSized) {
      text += kSizedHead;
      text[-1] = static_cast<char>(id.size());
    }
    std::memcpy(text, id.data(), id.size());
  }
  holds_of(span, player) = 1;
  return player;
}

std::string_view PlayerRecords::unpacked(const Span& span, const std::byte* record, char*& room) {
  char* const begin = room;
  room += unpack_id(static_cast<IdForm>(span.kind), packed_at(span, record), begin);
  return {begin, static_cast<std::size_t>(room - begin)};
}

void PlayerRecords::hold(PlayerHandle player) {
  std::uint8_t& holds = holds_of(player);
  assert(holds > 0 && "a player is held by an id first");
  if (holds < kManyHolds - 1) {
    ++holds;
    return;
  }
  if (holds < kManyHolds) {
    if (!many_holds_) many_holds_ = std::make_unique<PlayerNumbers>();
    many_holds_->set(player, holds);
    holds = kManyHolds;
  }
  std::uint32_t& many = *many_holds_->find_place(player);
  if (many < kPlayerHoldsMax) ++many;
}

bool PlayerRecords::release(PlayerHandle player) {
  std::uint8_t& holds = holds_of(player);
  assert(holds > 0 && "released more often than held");
  if (holds < kManyHolds) return --holds > 0;
  std::uint32_t& many = *many_holds_->find_place(player);
  if (many < kPlayerHoldsMax && --many < kFewHolds) {
    holds = static_cast<std::uint8_t>(many);
    many_holds_->erase(player);
  }
  return true;
}

void PlayerRecords::give_apart(PlayerHandle player) {
  const Span& span = span_of(player);
  const std::string_view id = plain_text(span, record_of(span, player));
  bytes_apart_ -= block_bytes(1 + id.size());
  delete[](id.data() - 1);
}

void PlayerRecords::remove(PlayerHandle player) {
  assert(holds_of(player) == 0);
  const std::uint32_t number = player >> kChunkShift;
  const Span& span = spans_[number];
  Chunk& chunk = chunks_[number];
  if (span.kind == kApart) give_apart(player);
  std::memcpy(next_free(span, record_of(span, player)), &chunk.free, sizeof chunk.free);
  chunk.free = static_cast<std::uint16_t>(player & (kChunkRecords - 1));
  --chunk.used;
  --size_;
  if (!chunk.has_room) {
    chunk.has_room = true;
    rooms_[span.kind].push_back(number);
  }
  if (chunk.used > 0) return;
  // Keep one empty chunk, so that a player that is added and removed repeatedly does not allocate
  // each time.
  if (spare_ != kNoChunk && spare_ != number && chunks_[spare_].used == 0) {
    give_records(number);
  } else {
    spare_ = number;
  }
}

int PlayerRecords::compare(PlayerHandle a, PlayerHandle b) const {
  const IdText text_a = id(a);
  const IdText text_b = id(b);
  return text_a.view().compare(text_b);
}

std::size_t PlayerRecords::bytes() const {
  std::size_t bytes =
      bytes_apart_ + chunks_.capacity() * sizeof(Chunk) + spans_.capacity() * sizeof(Span);
  for (const std::vector<std::uint32_t>& rooms : rooms_) {
    bytes += rooms.capacity() * sizeof(std::uint32_t);
  }
  for (const Span& span : spans_) {
    if (span.records != nullptr) bytes += chunk_bytes(span);
  }
  return bytes + (many_holds_ ? many_holds_->bytes() : 0);
}

}  // namespace laurel
