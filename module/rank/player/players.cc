#include "rank/player/players.h"

#include <algorithm>
#include <array>

namespace laurel {

Players::Players(const HashSecret& secret) : secret_(secret), index_(records_, secret_) {}

std::uint64_t Players::prefetch(std::string_view id) const {
  const std::uint64_t hash = secret_(id);
  index_.prefetch_bucket(hash);
  return hash;
}

PlayerHandle Players::hold(std::string_view id) { return hold(id, secret_(id)); }

// Prefetches for 64 ids at a time, so that they wait for memory together.
void Players::hold_all(std::span<const std::string_view> ids, std::span<PlayerHandle> out) {
  std::array<std::uint64_t, 64> hashes;
  for (std::size_t first = 0; first < ids.size(); first += hashes.size()) {
    const std::size_t n = std::min(hashes.size(), ids.size() - first);
    for (std::size_t i = 0; i < n; ++i) {
      hashes[i] = secret_(ids[first + i]);
      index_.prefetch_bucket(hashes[i]);
      index_.prefetch_room(hashes[i]);
    }
    for (std::size_t i = 0; i < n; ++i) index_.prefetch_records(hashes[i]);
    for (std::size_t i = 0; i < n; ++i) out[first + i] = hold(ids[first + i], hashes[i]);
  }
}

PlayerHandle Players::hold(std::string_view id, std::uint64_t hash) {
  const PlayerHandle held = index_.find(hash, id);
  if (held != kNoPlayer) {
    records_.hold(held);
    return held;
  }
  const PlayerHandle player = records_.add(id);
  index_.add(hash, player);
  return player;
}

std::string_view Players::id(PlayerHandle player, Arena& arena) const {
  const PlayerRecords::Location record = records_.locate(player);
  char* room = nullptr;
  if (!record.is_packed()) return records_.read_id(record, room);
  room = arena.room(kUnpackRoom);
  const std::string_view id = records_.read_id(record, room);
  arena.shorten(room);
  return id;
}

void Players::release(PlayerHandle player) {
  if (records_.release(player)) return;
  char bytes[kUnpackRoom];
  char* room = bytes;
  index_.remove(secret_(records_.read_id(player, room)), player);
  records_.remove(player);
}

std::size_t Players::bytes() const { return sizeof *this + records_.bytes() + index_.bytes(); }

}  // namespace laurel
