#include "web/http/address.h"

#include <charconv>

#include "base/text.h"

namespace laurel::web {

namespace {

constexpr std::uint64_t kIpv4 = 0xffff'0000'0000;  // as in an IPv4-mapped address

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Refusal not_a_place(std::string_view text) {
  return Refusal(Code::invalid, "\"{}\": it takes HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080",
                 escaped(text, 100));
}

std::optional<boost::asio::ip::address> address_of(std::string_view text) {
  boost::system::error_code failed;
  auto address = boost::asio::ip::make_address(std::string(text), failed);
  if (failed) return std::nullopt;
  return address;
}

}  // namespace

Result<HostPort> host_port_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return not_a_place(text);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  if (brackets) host = host.substr(1, host.size() - 2);
  // Without brackets an IPv6 address does not say where its port begins.
  if (host.empty() || (!brackets && host.find(':') != std::string_view::npos)) {
    return not_a_place(text);
  }
  HostPort place{std::string(host), 0};
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), place.port);
  if (failed != std::errc() || end != port.data() + port.size()) return not_a_place(text);
  return place;
}

std::string to_text(const HostPort& place) {
  const bool is_v6 = place.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", place.host, is_v6 ? "]" : "", place.port);
}

ClientAddress client_address(const boost::asio::ip::address& address) {
  if (address.is_v4()) return {0, kIpv4 | address.to_v4().to_uint()};
  const auto v6 = address.to_v6();
  const auto bytes = v6.to_bytes();
  const auto number = [&](std::size_t first, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[first + i];
    return value;
  };
  if (v6.is_v4_mapped()) return {0, kIpv4 | number(12, 4)};
  return {number(0, 8), 0};
}

std::optional<boost::asio::ip::address> forwarded_for(std::string_view field) {
  const std::size_t comma = field.rfind(',');
  std::string_view last =
      trimmed(comma == std::string_view::npos ? field : field.substr(comma + 1));
  if (const auto plain = address_of(last)) return plain;
  if (const auto place = host_port_of(last)) return address_of(place->host);
  if (last.starts_with('[') && last.ends_with(']')) {
    return address_of(last.substr(1, last.size() - 2));
  }
  return std::nullopt;
}

}  // namespace laurel::web
