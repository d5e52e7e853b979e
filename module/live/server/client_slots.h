// client_slots.h - the slots of a server: which clients have one, and which client loses its slot
// to a newcomer.
//
//   address   has at most a share of the slots, so that one address cannot take all.
//   idle      a client that has had no subscription for kLiveIdleAfter. If all slots are taken, a
//             newcomer gets that of the client that has been idle for longest.
//   time      microseconds of a clock that does not go back; an argument of each call.
//   limits    one client for each slot.
//   threads   none.
//   cost      O(log clients).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "live/net/transport.h"

namespace laurel {

class ClientSlots {
 public:
  // slots        at least 1
  // per_address  at least 1
  ClientSlots(std::size_t slots, std::size_t per_address)
      : slots_(slots), per_address_(per_address) {}

  enum class Answer : std::uint8_t {
    taken,
    full,          // all slots are taken, and no client is idle
    address_full,  // the address has its share
  };
  struct Taken {
    Answer answer = Answer::taken;
    PeerId sent_away = 0;  // the idle client that has lost its slot to this one; 0: none
  };

  // Gives a slot to a client that has none. It has no subscription yet.
  Taken take(PeerId peer, std::uint32_t address, Time now);
  // Takes the slot back. Ignored if the peer has none, as in the next function.
  void give_back(PeerId peer);
  // The client's first subscription has begun, or its last one has ended.
  void set_subscribed(PeerId peer, bool subscribed, Time now);

  std::size_t per_address() const { return per_address_; }

 private:
  struct Holder {
    std::uint32_t address = 0;
    std::optional<Time> idle_since;  // nullopt: it has subscriptions
  };

  std::size_t slots_, per_address_;
  std::unordered_map<PeerId, Holder> holders_;
  std::unordered_map<std::uint32_t, std::size_t> of_address_;  // none is 0
  std::set<std::pair<Time, PeerId>> idle_;                     // by idle_since
};

}  // namespace laurel
