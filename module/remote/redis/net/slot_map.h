// slot_map.h - maps the slots of a cluster to nodes.
//
//   slot      one of 16,384: CRC16 (XMODEM) of the key, or of its hash tag if it has one: the bytes
//             between the first { and the next }.
//   one       a server without cluster mode has every slot.
//   source    Redis cluster specification, "Key distribution model" and "Hash tags".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "remote/redis/net/reply.h"
#include "remote/redis/net/url.h"

namespace laurel::redis {

inline constexpr std::uint16_t kSlots = 16'384;

std::uint16_t crc16(std::string_view bytes);
std::uint16_t slot_of(std::string_view key);

class SlotMap {
 public:
  // Assigns all slots to one address.
  void set_single(const Address& address);
  // Reads the reply of `from` to CLUSTER SLOTS. A node without a host in the reply has the host of
  // `from`. Returns false and changes nothing if the reply is invalid.
  bool set(const Reply& slots, const Address& from);
  // Assigns one slot that has moved.
  void move(std::uint16_t slot, const Address& address);

  // Null if no node is known to have it.
  const Address* find(std::uint16_t slot) const;
  bool empty() const { return addresses_.empty(); }
  bool is_cluster() const { return is_cluster_; }
  // The addresses that have slots, each once. O(addresses).
  std::vector<Address> masters() const;

  friend bool operator==(const SlotMap&, const SlotMap&) = default;

 private:
  std::uint16_t number_of(const Address& address);
  void assign(std::size_t slot, std::uint16_t owner);

  static constexpr std::uint16_t kNobody = 0xFFFF;
  std::vector<Address> addresses_;
  std::vector<std::size_t> owned_;     // how many slots each address has
  std::vector<std::uint16_t> owners_;  // indices of addresses_ by slot; empty or kSlots of them
  bool is_cluster_ = false;
};

// Parses the errors "MOVED 3999 127.0.0.1:6381" and ASK; nothing for other errors. An empty host
// means the host of `from`.
struct Redirection {
  bool requests = false;
  std::uint16_t slot = 0;
  Address address;
};
std::optional<Redirection> redirection(std::string_view error, const Address& from);

}  // namespace laurel::redis
