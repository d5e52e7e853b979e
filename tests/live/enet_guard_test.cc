#include "live/enet_guard.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/limits.h"

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

bool allowed(const std::string& datagram) { return client_datagram_allowed(datagram, false); }

TEST_CASE("what a client of this protocol sends is let through") {
  CHECK(allowed(bytes({0x8F, 0xFF, 0, 0, 0x82, 0xFF, 0, 1}) + std::string(44, '\0')));  // connect
  CHECK(allowed(kHead + reliable(0, 10)));
  CHECK(allowed(kHead + reliable(0, 512) + unsequenced(1, 100)));
  CHECK(allowed(kHead + bytes({0x01, 0xFF, 0, 1, 0, 1, 0x12, 0x34})));  // an acknowledgement
  CHECK(allowed(kHead + bytes({0x85, 0xFF, 0, 1})));                    // a ping
  CHECK(allowed(bytes({0x00, 0x01}) + unsequenced(1, 5)));              // without a time
}

TEST_CASE("what only harms is not") {
  CHECK_FALSE(allowed(""));
  CHECK_FALSE(allowed(bytes({0x80})));
  CHECK_FALSE(allowed(kHead + reliable(0, 513)));
  CHECK_FALSE(allowed(kHead + reliable(1, 10)));  // each channel has its kind
  CHECK_FALSE(allowed(kHead + unsequenced(0, 10)));
  CHECK_FALSE(
      allowed(kHead + bytes({0x88, 0, 0, 1, 0, 1, 0, 1}) + std::string(17, '\1')));  // fragment
  CHECK_FALSE(allowed(kHead + bytes({0x0C, 0, 0, 1, 0, 1, 0, 1}) + std::string(17, '\1')));
  CHECK_FALSE(allowed(kHead + bytes({0x07, 0, 0, 1, 0, 1, 0, 1, 'x'})));  // sequenced, unreliable
  CHECK_FALSE(allowed(bytes({0xC0, 0x01, 0, 0}) + reliable(0, 10)));      // compressed
  CHECK_FALSE(allowed(kHead + bytes({0x80, 0, 0, 1})));                   // no command at all
  CHECK_FALSE(allowed(kHead + bytes({0x8D, 0, 0, 1})));                   // a command of tomorrow
  std::string many = kHead;
  for (int i = 0; i < 33; ++i) many += bytes({0x85, 0xFF, 0, 1});
  CHECK_FALSE(allowed(many));
  CHECK_FALSE(allowed(kHead + reliable(0, 512) + reliable(0, 512) + reliable(0, 300)));
}

TEST_CASE("every truncation is refused but those between two commands") {
  const std::string whole = kHead + reliable(0, 20) + unsequenced(1, 7);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(allowed(whole.substr(0, size)) == (size == 4 || size == 4 + 26));
  }
  CHECK(client_datagram_allowed(kHead + "sums" + reliable(0, 20), true));
  CHECK_FALSE(client_datagram_allowed(kHead + "sum", true));
}

TEST_CASE("random datagrams are looked through without a step beyond their end") {
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
