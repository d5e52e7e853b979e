#include "remote/redis/net/slot_map.h"

#include <doctest/doctest.h>

using namespace laurel::redis;

TEST_CASE("a key's slot is its CRC16, as Redis specifies") {
  CHECK(crc16("123456789") == 0x31C3);
  CHECK(crc16("") == 0);
  CHECK(slot_of("foo") == 12182);
  CHECK(slot_of("bar") == 5061);
}

TEST_CASE("the slot of a key with a hash tag is that of the tag") {
  CHECK(slot_of("{user1000}.following") == slot_of("{user1000}.followers"));
  CHECK(slot_of("{user1000}.following") == slot_of("user1000"));
  CHECK(slot_of("foo{}{bar}") == crc16("foo{}{bar}") % kSlots);
  CHECK(slot_of("foo{{bar}}zap") == slot_of("{bar"));
  CHECK(slot_of("foo{bar}{zap}") == slot_of("bar"));
  CHECK(slot_of("foo{bar") == crc16("foo{bar") % kSlots);
}

namespace {

Reply number(std::int64_t value) { return {Reply::Kind::integer, value, {}, {}}; }
Reply text(std::string value) { return {Reply::Kind::text, 0, std::move(value), {}}; }
Reply list(std::vector<Reply> values) { return {Reply::Kind::list, 0, {}, std::move(values)}; }
Reply range(std::int64_t first, std::int64_t last, const std::string& host, std::int64_t port) {
  return list({number(first), number(last), list({text(host), number(port), text("id")}),
               list({text("replica"), number(1), text("id")})});
}

}  // namespace

TEST_CASE("each range of slots maps to its master") {
  SlotMap map;
  CHECK(map.find(0) == nullptr);
  REQUIRE(map.set(list({range(0, 8191, "10.0.0.1", 7000), range(8192, 16000, "", 7001)}),
                  {"10.0.0.9", 7001}));
  CHECK(*map.find(8191) == Address{"10.0.0.1", 7000});
  CHECK(*map.find(8192) == Address{"10.0.0.9", 7001});
  CHECK(map.find(16001) == nullptr);
  CHECK(map.masters().size() == 2);
  map.move(3, {"10.0.0.3", 7002});
  CHECK(*map.find(3) == Address{"10.0.0.3", 7002});
  CHECK(*map.find(4) == Address{"10.0.0.1", 7000});
}

TEST_CASE("an invalid answer to CLUSTER SLOTS changes nothing") {
  SlotMap map;
  map.set_single({"one", 6379});
  CHECK_FALSE(map.set(text("?"), {"one", 6379}));
  CHECK_FALSE(map.set(list({}), {"one", 6379}));
  CHECK_FALSE(map.set(list({range(0, 16384, "two", 1)}), {"one", 6379}));
  CHECK_FALSE(map.set(list({range(0, 1, "two", 70'000)}), {"one", 6379}));
  CHECK_FALSE(map.set(list({list({number(0)})}), {"one", 6379}));
  CHECK_FALSE(map.set(list({range(0, 9, "two", 1), range(0, 16383, "six", 1)}), {"one", 6379}));
  CHECK_FALSE(map.set(list({range(9, 8, "two", 1)}), {"one", 6379}));
  CHECK(*map.find(16383) == Address{"one", 6379});
}

TEST_CASE("MOVED and ASK redirections are parsed") {
  const auto moved = redirection("MOVED 3999 127.0.0.1:6381", {"here", 1});
  REQUIRE(moved);
  CHECK_FALSE(moved->requests);
  CHECK(moved->slot == 3999);
  CHECK(moved->address == Address{"127.0.0.1", 6381});
  const auto ask = redirection("ASK 1 :6382", {"here", 1});
  REQUIRE(ask);
  CHECK(ask->requests);
  CHECK(ask->address == Address{"here", 6382});
  CHECK(redirection("MOVED 1 ::1:6382", {})->address == Address{"::1", 6382});
  CHECK_FALSE(redirection("MOVED 16384 a:1", {}));
  CHECK_FALSE(redirection("MOVED 1", {}));
  CHECK_FALSE(redirection("ERR no", {}));
}
