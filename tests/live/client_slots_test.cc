// Which clients have a slot, and which lose it to a newcomer.
#include "live/server/client_slots.h"

#include <doctest/doctest.h>

#include "live/limits.h"

namespace laurel {
namespace {

using SlotAnswer = ClientSlots::Answer;

constexpr std::uint32_t kHere = 1, kAway = 2;

TEST_CASE("an address has its share of the slots, and gets one back for each that it gives back") {
  ClientSlots slots(4, 2);
  CHECK(slots.take(1, kHere, 0).answer == SlotAnswer::taken);
  CHECK(slots.take(2, kHere, 0).answer == SlotAnswer::taken);
  CHECK(slots.take(3, kHere, 0).answer == SlotAnswer::address_full);
  CHECK(slots.take(4, kAway, 0).answer == SlotAnswer::taken);
  slots.give_back(1);
  slots.give_back(1);
  CHECK(slots.take(3, kHere, 0).answer == SlotAnswer::taken);
  CHECK(slots.take(5, kHere, 0).answer == SlotAnswer::address_full);
}

TEST_CASE("a newcomer gets the slot of the client that has been idle for longest") {
  ClientSlots slots(3, 3);
  for (const PeerId peer : {1, 2, 3}) (void)slots.take(peer, kHere, 0);
  for (const PeerId peer : {1, 2, 3}) slots.set_subscribed(peer, true, 0);
  slots.set_subscribed(2, false, 100);
  slots.set_subscribed(1, false, 200);
  CHECK(slots.take(4, kAway, 100 + kLiveIdleAfter - 1).answer == SlotAnswer::full);
  const auto first = slots.take(4, kAway, 300 + kLiveIdleAfter);
  CHECK(first.answer == SlotAnswer::taken);
  CHECK(first.sent_away == 2);
  const auto second = slots.take(5, kAway, 300 + kLiveIdleAfter);
  CHECK(second.answer == SlotAnswer::taken);
  CHECK(second.sent_away == 1);
  CHECK(slots.take(6, kAway, 300 + kLiveIdleAfter).answer == SlotAnswer::full);
}

TEST_CASE("a client that subscribed in time keeps its slot") {
  ClientSlots slots(1, 1);
  (void)slots.take(1, kHere, 0);
  slots.set_subscribed(1, true, kLiveIdleAfter - 1);
  CHECK(slots.take(2, kAway, 10 * kLiveIdleAfter).answer == SlotAnswer::full);
  slots.set_subscribed(1, false, 10 * kLiveIdleAfter);
  CHECK(slots.take(2, kAway, 11 * kLiveIdleAfter - 1).answer == SlotAnswer::full);
  CHECK(slots.take(2, kAway, 11 * kLiveIdleAfter).sent_away == 1);
}

TEST_CASE("an address with its share gets an idle client's slot only from itself") {
  ClientSlots slots(2, 1);
  (void)slots.take(1, kAway, 0);
  (void)slots.take(2, kHere, 1);
  CHECK(slots.take(3, kHere, 2 * kLiveIdleAfter).answer == SlotAnswer::address_full);
  CHECK(slots.take(3, kAway, 2 * kLiveIdleAfter).sent_away == 1);
  CHECK(slots.take(4, kHere, 2 * kLiveIdleAfter).sent_away == 2);
}

TEST_CASE("a full server says so to an address that has its share") {
  ClientSlots slots(2, 2);
  for (const PeerId peer : {1, 2}) (void)slots.take(peer, kHere, 0);
  CHECK(slots.take(3, kHere, 0).answer == SlotAnswer::full);
}

TEST_CASE("while slots are free no client is sent away") {
  ClientSlots slots(2, 2);
  (void)slots.take(1, kHere, 0);
  CHECK(slots.take(2, kAway, 2 * kLiveIdleAfter).sent_away == 0);
}

}  // namespace
}  // namespace laurel
