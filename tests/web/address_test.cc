// Addresses: to listen on, to connect to, and those that limits count.
#include "web/http/address.h"

#include <string_view>

#include <doctest/doctest.h>

#include "web/places.h"

namespace laurel::web {
namespace {

ClientAddress of(const char* text) { return client_address(boost::asio::ip::make_address(text)); }

std::string forwarded(std::string_view field) {
  const auto address = forwarded_for(field);
  return address ? address->to_string() : "";
}

TEST_CASE("a host and a port are read, with brackets around an IPv6 address") {
  CHECK(to_text(*host_port_of("127.0.0.1:8080")) == "127.0.0.1:8080");
  CHECK(to_text(*host_port_of("[::1]:0")) == "[::1]:0");
  CHECK(host_port_of("[::1]:80")->host == "::1");
  CHECK(host_port_of("game.example:7777")->host == "game.example");
  for (const std::string_view text :
       {"", "8080", ":80", "a:", "a:x", "a:65536", "a:-1", "::1:80", "[]:80", "a:8 0"}) {
    CAPTURE(text);
    CHECK_FALSE(host_port_of(text));
  }
}

TEST_CASE("a limit counts an IPv4 address in all its forms, and an IPv6 address's first half") {
  CHECK(of("1.2.3.4") == of("::ffff:1.2.3.4"));
  CHECK(of("1.2.3.4") != of("1.2.3.5"));
  CHECK(of("2001:db8::1") == of("2001:db8::ffff:1"));
  CHECK(of("2001:db8::1") != of("2001:db8:0:1::1"));
  CHECK(of("::1") != of("0.0.0.1"));
}

TEST_CASE("the last address that proxies name counts, whatever a client wrote before it") {
  CHECK(forwarded("1.1.1.1") == "1.1.1.1");
  CHECK(forwarded("9.9.9.9, 1.1.1.1") == "1.1.1.1");
  CHECK(forwarded("junk,, 1.1.1.1:4711 ") == "1.1.1.1");
  CHECK(forwarded("::1") == "::1");
  CHECK(forwarded("[2001:db8::1]:80") == "2001:db8::1");
  CHECK(forwarded("[2001:db8::1]") == "2001:db8::1");
  CHECK(forwarded("1.1.1.1, unknown") == "");
  CHECK(forwarded("") == "");
}

TEST_CASE("an address has its share of the places, and gives them back") {
  Places places({.streams = 3, .streams_of_address = 2, .others_of_address = 1});
  const ClientAddress a = of("1.1.1.1"), b = of("1.1.1.2");
  Places::Place first, second, third, other;
  using Kind = Places::Kind;
  CHECK(places.take(Kind::stream, a, first) == Places::Refused::no);
  CHECK(places.take(Kind::stream, a, second) == Places::Refused::no);
  CHECK(places.take(Kind::stream, a, third) == Places::Refused::address_full);
  CHECK(places.take(Kind::other, a, other) == Places::Refused::no);
  CHECK(places.take(Kind::other, a, third) == Places::Refused::address_full);
  CHECK(places.take(Kind::stream, b, third) == Places::Refused::no);
  Places::Place fourth;
  CHECK(places.take(Kind::stream, b, fourth) == Places::Refused::full);
  second = {};
  CHECK(places.streams() == 2);
  Places::Place moved = std::move(first);
  CHECK(places.streams() == 2);
  CHECK(places.take(Kind::stream, a, fourth) == Places::Refused::no);
}

}  // namespace
}  // namespace laurel::web
