#include "rank/players.h"

namespace laurel {

Players::Players(const HashSecret& secret) : secret_(secret), index_(records_, secret_) {}

PlayerHandle Players::find(std::string_view id) const { return index_.find(secret_(id), id); }

PlayerHandle Players::hold(std::string_view id) {
  const std::uint64_t hash = secret_(id);
  const PlayerHandle held = index_.find(hash, id);
  if (held != kNoPlayer) {
    records_.hold(held);
    return held;
  }
  const PlayerHandle player = records_.add(id);
  index_.add(hash, player);
  return player;
}

void Players::release(PlayerHandle player) {
  if (records_.release(player)) return;
  index_.remove(secret_(records_.id(player)), player);
  records_.remove(player);
}

std::size_t Players::bytes() const { return sizeof *this + records_.bytes() + index_.bytes(); }

}  // namespace laurel
