// slot_map.h - which node of a cluster has which keys.
//
//   slot      one of 16,384: CRC16 (XMODEM) of the key, or of its hash tag, the bytes between the
//             first { and the next } where there are any.
//   one       a server that is no cluster has every slot.
//   source    Redis cluster specification, "Key distribution model" and "Hash tags".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "remote/redis/reply.h"
#include "remote/redis/url.h"

namespace laurel::redis {

inline constexpr std::uint16_t kSlots = 16'384;

std::uint16_t crc16(std::string_view bytes);
std::uint16_t slot_of(std::string_view key);

class SlotMap {
 public:
  // All slots at one address.
  void set_single(const Address& address);
  // From the answer to CLUSTER SLOTS that `from` gave; a node that does not say its own host is at
  // the one that was asked. False, and nothing changes, where it is no such answer.
  bool set(const Reply& slots, const Address& from);
  // One slot that has moved.
  void move(std::uint16_t slot, const Address& address);

  // Null where nobody is known to have it.
  const Address* find(std::uint16_t slot) const;
  bool empty() const { return addresses_.empty(); }
  bool is_cluster() const { return is_cluster_; }
  // Masters, each once.
  std::vector<Address> masters() const;

  friend bool operator==(const SlotMap&, const SlotMap&) = default;

 private:
  std::uint16_t number_of(const Address& address);

  static constexpr std::uint16_t kNobody = 0xFFFF;
  std::vector<Address> addresses_;
  std::vector<std::uint16_t> owners_;  // indices of addresses, by slot; empty or kSlots
  bool is_cluster_ = false;
};

// "MOVED 3999 127.0.0.1:6381", and likewise ASK, as an error says it; nothing for other errors. An
// empty host is that of `from`.
struct Redirection {
  bool asks = false;
  std::uint16_t slot = 0;
  Address address;
};
std::optional<Redirection> redirection(std::string_view error, const Address& from);

}  // namespace laurel::redis
