// address.h - addresses to listen on and to connect to, and whose limit a client counts towards.
//
//   threads   none; all functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/address.hpp>

#include "base/result.h"

namespace laurel::web {

struct HostPort {
  std::string host;  // without brackets
  std::uint16_t port = 0;
};

// Reads "127.0.0.1:8080", "game.example:7777" or "[::1]:8080". Fails with invalid; the sentence
// says what is allowed.
Result<HostPort> host_port_of(std::string_view text);
// The inverse: an IPv6 address has brackets.
std::string to_text(const HostPort& place);

// The clients that share one limit: those of an IPv4 address, or of the first 64 bits of an IPv6
// address, which is what one customer has.
struct ClientAddress {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const ClientAddress&, const ClientAddress&) = default;
};
ClientAddress client_address(const boost::asio::ip::address& address);

// The address in the last entry of an X-Forwarded-For field, which the nearest proxy wrote; it may
// have a port. Absent if there is none.
std::optional<boost::asio::ip::address> forwarded_for(std::string_view field);

}  // namespace laurel::web
