#include "rank/player/player_records.h"

#include <cassert>

#include "base/block_heap.h"
#include "base/limits.h"

namespace laurel {

namespace {

// The size of a block with the allocator's overhead: its size field, and rounding to 16 bytes.
constexpr std::size_t block_bytes(std::size_t size) { return (size + 8 + 15) / 16 * 16; }

}  // namespace

PlayerRecords::~PlayerRecords() {
  for (std::uint32_t number = 0; number < chunks_.size(); ++number) {
    const Chunk& chunk = chunks_[number];
    if (chunk.size_class == kApart && chunk.used > 0) {
      for (std::uint32_t slot = 0; slot < chunk.touched; ++slot) {
        Record& record = at(number << kChunkShift | slot);
        if (record.holds != 0) delete[] bytes_of(record);
      }
    }
    give_records(number);
  }
}

void PlayerRecords::take_records(std::uint32_t number) {
  Span& span = spans_[number];
  span.records = static_cast<std::byte*>(block_heap().take(kChunkRecords * span.record_bytes));
}

void PlayerRecords::give_records(std::uint32_t number) {
  Span& span = spans_[number];
  if (span.records != nullptr) block_heap().give(span.records, kChunkRecords * span.record_bytes);
  span.records = nullptr;
}

std::uint32_t PlayerRecords::chunk_with_room(std::uint8_t size_class) {
  std::vector<std::uint32_t>& rooms = rooms_[size_class];
  if (rooms.empty()) {
    assert(chunks_.size() < kPlayersMax / kChunkRecords && "too many players");
    rooms.push_back(static_cast<std::uint32_t>(chunks_.size()));
    chunks_.push_back({.size_class = size_class, .has_room = true});
    spans_.push_back({nullptr, kRecordBytes[size_class]});
  }
  const std::uint32_t number = rooms.back();
  if (spans_[number].records == nullptr) {
    take_records(number);
    chunks_[number].touched = 0;
    chunks_[number].free = kNoSlot;
  }
  return number;
}

PlayerHandle PlayerRecords::add(std::string_view id) {
  assert(!id.empty() && id.size() <= kPlayerBytesMax && "an id has 1 to 255 bytes");
  const std::uint8_t size_class = class_of(id.size());
  const std::uint32_t number = chunk_with_room(size_class);
  Chunk& chunk = chunks_[number];
  const std::uint16_t slot = chunk.free != kNoSlot ? chunk.free : chunk.touched++;
  const PlayerHandle player = number << kChunkShift | slot;
  Record& record = at(player);
  if (slot == chunk.free) std::memcpy(&chunk.free, inlined(record), sizeof chunk.free);
  if (++chunk.used == kChunkRecords) {
    chunk.has_room = false;
    rooms_[size_class].pop_back();
  }
  ++size_;

  record.holds = 1;
  record.size = static_cast<std::uint8_t>(id.size());
  if (size_class == kApart) {
    char* apart = new char[id.size()];
    std::memcpy(apart, id.data(), id.size());
    std::memcpy(inlined(record), &apart, sizeof apart);
    bytes_apart_ += block_bytes(id.size());
  } else {
    std::memcpy(inlined(record), id.data(), id.size());
  }
  return player;
}

void PlayerRecords::hold(PlayerHandle player) {
  Record& record = at(player);
  assert(record.holds > 0 && "a player is held by an id first");
  if (record.holds < kPlayerHoldsMax) ++record.holds;
}

bool PlayerRecords::release(PlayerHandle player) {
  Record& record = at(player);
  assert(record.holds > 0 && "released more often than held");
  if (record.holds < kPlayerHoldsMax) --record.holds;
  return record.holds > 0;
}

void PlayerRecords::remove(PlayerHandle player) {
  Record& record = at(player);
  assert(record.holds == 0);
  const std::uint32_t number = player >> kChunkShift;
  Chunk& chunk = chunks_[number];
  if (chunk.size_class == kApart) {
    bytes_apart_ -= block_bytes(record.size);
    delete[] bytes_of(record);
  }
  std::memcpy(inlined(record), &chunk.free, sizeof chunk.free);
  chunk.free = static_cast<std::uint16_t>(player & (kChunkRecords - 1));
  --chunk.used;
  --size_;
  if (!chunk.has_room) {
    chunk.has_room = true;
    rooms_[chunk.size_class].push_back(number);
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

std::size_t PlayerRecords::bytes() const {
  std::size_t bytes =
      bytes_apart_ + chunks_.capacity() * sizeof(Chunk) + spans_.capacity() * sizeof(Span);
  for (const std::vector<std::uint32_t>& rooms : rooms_) {
    bytes += rooms.capacity() * sizeof(std::uint32_t);
  }
  for (const Span& span : spans_) {
    if (span.records != nullptr) bytes += std::size_t{kChunkRecords} * span.record_bytes;
  }
  return bytes;
}

}  // namespace laurel
