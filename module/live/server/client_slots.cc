#include "live/server/client_slots.h"

#include "live/limits.h"

namespace laurel {

ClientSlots::Taken ClientSlots::take(PeerId peer, std::uint32_t address, Time now) {
  Taken taken;
  if (holders_.size() >= slots_) {
    if (idle_.empty() || now - idle_.begin()->first < kLiveIdleAfter) return {Answer::full, 0};
    taken.sent_away = idle_.begin()->second;
  }
  const bool replaces = taken.sent_away != 0 && holders_.at(taken.sent_away).address == address;
  const auto neighbours = of_address_.find(address);
  if (!replaces && neighbours != of_address_.end() && neighbours->second >= per_address_) {
    return {Answer::address_full, 0};
  }
  give_back(taken.sent_away);
  holders_[peer] = {address, now};
  ++of_address_[address];
  idle_.emplace(now, peer);
  return taken;
}

void ClientSlots::give_back(PeerId peer) {
  const auto found = holders_.find(peer);
  if (found == holders_.end()) return;
  const Holder& holder = found->second;
  if (holder.idle_since) idle_.erase({*holder.idle_since, peer});
  const auto neighbours = of_address_.find(holder.address);
  if (--neighbours->second == 0) of_address_.erase(neighbours);
  holders_.erase(found);
}

void ClientSlots::set_subscribed(PeerId peer, bool subscribed, Time now) {
  const auto found = holders_.find(peer);
  if (found == holders_.end()) return;
  Holder& holder = found->second;
  if (holder.idle_since) idle_.erase({*holder.idle_since, peer});
  holder.idle_since = subscribed ? std::nullopt : std::optional(now);
  if (!subscribed) idle_.emplace(now, peer);
}

}  // namespace laurel
