#include "live/net/enet_guard.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

namespace laurel {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

const std::string kHead = bytes({0x80, 0x01, 0x12, 0x34});  // to peer 1, with a time

std::string reliable(int channel, std::size_t size) {
  return bytes({0x86, channel, 0, 1, static_cast<int>(size >> 8), static_cast<int>(size & 0xFF)}) +
         std::string(size, 'x');
}
std::string unsequenced(int channel, std::size_t size) {
  return bytes({0x49, channel, 0, 0, 0, 1, static_cast<int>(size >> 8),
                static_cast<int>(size & 0xFF)}) +
         std::string(size, 'x');
}

bool allowed(const std::string& datagram) { return client_datagram_allowed(datagram, false, 0); }

TEST_CASE("datagrams of a normal client are allowed") {
  CHECK(allowed(bytes({0x8F, 0xFF, 0, 0, 0x82, 0xFF, 0, 1}) + std::string(44, '\0')));  // connect
  CHECK(allowed(kHead + reliable(0, 10)));
  CHECK(allowed(kHead + reliable(0, 640) + unsequenced(1, 100)));
  CHECK(allowed(kHead + bytes({0x01, 0xFF, 0, 1, 0, 1, 0x12, 0x34})));  // an acknowledgement
  CHECK(allowed(kHead + bytes({0x85, 0xFF, 0, 1})));                    // a ping
  CHECK(allowed(bytes({0x00, 0x01}) + unsequenced(1, 5)));              // without a time
}

TEST_CASE("reliable data is allowed up to the permitted lead of a client") {
  const auto numbered = [](int number) {
    std::string datagram = kHead + reliable(0, 10);
    datagram[6] = static_cast<char>(number >> 8);
    datagram[7] = static_cast<char>(number);
    return datagram;
  };
  for (const int last_read : {0, 100, 40'000, 65'500}) {
    CAPTURE(last_read);
    const auto allowed = [&](int further) {
      return client_datagram_allowed(numbered((last_read + further) & 0xFFFF), false,
                                     static_cast<std::uint16_t>(last_read));
    };
    for (const int further : {1, 64, 0, -1, -1000, -32'768}) CHECK(allowed(further));
    for (const int further : {65, 1000, 28'672, 32'767}) CHECK_FALSE(allowed(further));
  }
}

TEST_CASE("a datagram names its peer, or none while it connects") {
  CHECK(datagram_peer(kHead) == 1);
  CHECK(datagram_peer(bytes({0xB7, 0xFE})) == 0x7FE);  // with a session and flags
  CHECK(datagram_peer(bytes({0x8F, 0xFF})) == std::nullopt);
  CHECK(datagram_peer("x") == std::nullopt);
}

TEST_CASE("datagrams that no client needs are refused") {
  CHECK_FALSE(allowed(""));
  CHECK_FALSE(allowed(bytes({0x80})));
  CHECK_FALSE(allowed(kHead + reliable(0, 641)));
  CHECK_FALSE(allowed(kHead + reliable(1, 10)));  // each channel has its own kind
  CHECK_FALSE(allowed(kHead + unsequenced(0, 10)));
  CHECK_FALSE(
      allowed(kHead + bytes({0x88, 0, 0, 1, 0, 1, 0, 1}) + std::string(17, '\1')));  // fragment
  CHECK_FALSE(allowed(kHead + bytes({0x0C, 0, 0, 1, 0, 1, 0, 1}) + std::string(17, '\1')));
  CHECK_FALSE(allowed(kHead + bytes({0x07, 0, 0, 1, 0, 1, 0, 1, 'x'})));  // sequenced, unreliable
  CHECK_FALSE(allowed(bytes({0xC0, 0x01, 0, 0}) + reliable(0, 10)));      // compressed
  CHECK_FALSE(allowed(kHead + bytes({0x80, 0, 0, 1})));                   // no command at all
  CHECK_FALSE(allowed(kHead + bytes({0x8D, 0, 0, 1})));                   // an unknown command
  std::string many = kHead;
  for (int i = 0; i < 33; ++i) many += bytes({0x85, 0xFF, 0, 1});
  CHECK_FALSE(allowed(many));
  CHECK_FALSE(allowed(kHead + reliable(0, 512) + reliable(0, 512) + reliable(0, 300)));
}

// A connect to peer 0xFFF with a word, as ENet sends it, optionally with room for a checksum.
std::string connect(std::uint32_t word, bool checksum = false) {
  std::string command = bytes({0x82, 0xFF, 0, 1, 0, 5}) + std::string(42, '\0');
  for (int i = 0; i < 4; ++i) {
    command[40 + i] = static_cast<char>(0xA0 + i);
    command[44 + i] = static_cast<char>(word >> (24 - 8 * i));
  }
  return bytes({0x8F, 0xFF, 0x12, 0x34}) + (checksum ? "sums" : "") + command;
}

TEST_CASE("the word of a connect is read, and no other datagram is taken for a connect") {
  for (const bool checksum : {false, true}) {
    const std::string datagram = connect(0x11223344, checksum);
    REQUIRE(client_datagram_allowed(datagram, checksum, 0));
    const auto attempt = connect_attempt_in(datagram, checksum);
    REQUIRE(attempt);
    CHECK(attempt->word == 0x11223344);
    CHECK(attempt->peer == 5);
  }
  CHECK_FALSE(connect_attempt_in(kHead + reliable(0, 100), false));
  CHECK_FALSE(connect_attempt_in(kHead + connect(1).substr(4), false));  // from a known peer
}

TEST_CASE("the number that a datagram acknowledges first is read if it belongs to no channel") {
  const std::string of_none = bytes({0x01, 0xFF, 0, 0, 0xFE, 0xDC, 0x12, 0x34});
  const std::string of_channel = bytes({0x01, 0, 0, 0, 0xFE, 0xDC, 0x12, 0x34});
  const std::string ping = bytes({0x85, 0xFF, 0, 1});
  CHECK(acknowledged_number(kHead + of_none, false) == 0xFEDC);
  CHECK(acknowledged_number(kHead + "sums" + of_none + ping, true) == 0xFEDC);
  CHECK_FALSE(acknowledged_number(kHead + of_channel, false));
  CHECK_FALSE(acknowledged_number(kHead + ping + of_none, false));
  CHECK_FALSE(acknowledged_number(kHead, false));
}

TEST_CASE("a question is a ping with the number and ENet's head") {
  const Addressee to{0x0123, 2, 0xAABBCCDD};
  CHECK(question_of(to, 0xFEDC, 0x1234, nullptr) ==
        bytes({0xA1, 0x23, 0x12, 0x34, 0x85, 0xFF, 0xFE, 0xDC}));
  const auto sum = [](std::string_view datagram) -> std::uint32_t {
    return datagram.substr(4, 4) == bytes({0xDD, 0xCC, 0xBB, 0xAA}) ? 0x01010101 : 0;
  };
  CHECK(question_of(to, 0xFEDC, 0x1234, sum) ==
        bytes({0xA1, 0x23, 0x12, 0x34, 1, 1, 1, 1, 0x85, 0xFF, 0xFE, 0xDC}));
}

TEST_CASE("a denial is a disconnect of at most a quarter of the connect's size") {
  const ConnectAttempt attempt{7, 0xA3A2A1A0, 5};
  const std::string plain = denial_of(attempt, nullptr);
  CHECK(plain == bytes({0, 5, 4, 0xFF, 0, 0, 0, 0, 0, 4}));
  CHECK(4 * plain.size() <= connect(7).size());
  const auto sum = [](std::string_view datagram) -> std::uint32_t {
    CHECK(datagram.substr(2, 4) == "\xA0\xA1\xA2\xA3");  // the connect id in the checksum's place
    return 0x04030201;
  };
  const std::string summed = denial_of(attempt, sum);
  CHECK(summed == bytes({0, 5, 1, 2, 3, 4, 4, 0xFF, 0, 0, 0, 0, 0, 4}));
  CHECK(4 * summed.size() <= connect(7, true).size());
}

TEST_CASE("every truncation is refused except those between two commands") {
  const std::string whole = kHead + reliable(0, 20) + unsequenced(1, 7);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(allowed(whole.substr(0, size)) == (size == 4 || size == 4 + 26));
  }
  CHECK(client_datagram_allowed(kHead + "sums" + reliable(0, 20), true, 0));
  CHECK_FALSE(client_datagram_allowed(kHead + "sum", true, 0));
}

TEST_CASE("random datagrams are checked without reading past their end") {
  int let_through = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    std::string datagram(random() % 60, '\0');
    for (char& byte : datagram) byte = static_cast<char>(random());
    let_through += allowed(datagram) ? 1 : 0;
  }
  CHECK(let_through < 1000);
}

}  // namespace
}  // namespace laurel
