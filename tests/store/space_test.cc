#include "store/space.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "entries.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

using namespace std::string_literals;

void put(Space& space, std::string_view key, std::string_view value) {
  Batch batch;
  space.put(batch, key, value);
  space.store().write(batch);
}

// All entries as "a=1 b=2": first to last and, after a bar, last to first.
std::string both_ways(Cursor& cursor) {
  std::string shown;
  const auto add = [&] { shown.append(cursor.key()).append("=").append(cursor.value()) += ' '; };
  for (bool stands = cursor.seek(""); stands; stands = cursor.next()) add();
  shown += "| ";
  for (bool stands = cursor.seek_before("\xff"); stands; stands = cursor.previous()) add();
  return shown;
}

}  // namespace

TEST_CASE("adjacent spaces in the store do not mix") {
  const auto store = make_memory_store();
  // Numbers whose bytes are prefixes, neighbours or reversals of each other.
  const SpaceNumber numbers[] = {0, 1, 2, 255, 256, 257, 0x0100'0000'0000'0000, UINT64_MAX};
  for (const SpaceNumber number : numbers) {
    Space space(*store, number);
    CHECK(space.number() == number);
    put(space, "", "empty");
    put(space, "a", fmt::format("{}", number));
    put(space, "\0"s, "zero");
  }
  CHECK(store->size() == 3 * std::size(numbers));
  for (const SpaceNumber number : numbers) {
    CAPTURE(number);
    const Space space(*store, number);
    CHECK(space.get("a") == fmt::format("{}", number));
    CHECK_FALSE(space.get("b"));
    CHECK(both_ways(*space.cursor()) ==
          fmt::format("=empty {0}=zero a={1} | a={1} {0}=zero =empty ", "\0"s, number));
  }
}

TEST_CASE("a cursor stays inside its space, also at both ends and in an empty space") {
  const auto store = make_memory_store();
  Space before(*store, 255);
  Space space(*store, 256);
  Space behind(*store, 257);
  put(before, "z", "");
  put(behind, "a", "");
  const auto cursor = space.cursor();
  CHECK_FALSE(cursor->seek(""));
  CHECK_FALSE(cursor->seek("m"));
  CHECK_FALSE(cursor->seek_before("m"));

  put(space, "m", "");
  const auto again = space.cursor();
  REQUIRE(again->seek("a"));
  CHECK(again->key() == "m");
  CHECK_FALSE(again->next());
  REQUIRE(again->seek_before("z"));
  CHECK(again->key() == "m");
  CHECK_FALSE(again->previous());
  CHECK_FALSE(again->seek("n"));
  CHECK_FALSE(again->seek_before("m"));
}

TEST_CASE("keys of a space are in the byte order of the owner's part") {
  const auto store = make_memory_store();
  Space space(*store, 1);
  for (const char* key : {"b", "\xff", "a", "\x7f"}) put(space, key, "");
  CHECK(both_ways(*space.cursor()) == "a= b= \x7f= \xff= | \x7f= b= a= ");
}

TEST_CASE("a space of a snapshot does not change") {
  const auto store = make_memory_store();
  Space space(*store, 7);
  put(space, "a", "1");
  const auto snapshot = store->snapshot();
  put(space, "a", "2");
  put(space, "b", "3");
  CHECK(space.get(*snapshot, "a") == "1");
  CHECK_FALSE(space.get(*snapshot, "b"));
  CHECK(both_ways(*space.cursor(*snapshot)) == "a=1 | a=1 ");
  CHECK(space.get("a") == "2");
}

TEST_CASE("one batch can write to several spaces") {
  const auto store = make_memory_store();
  const Space one(*store, 1);
  const Space other(*store, 2);
  Batch batch;
  one.put(batch, "k", "1");
  other.put(batch, "k", "2");
  other.erase(batch, "k");
  store->write(batch);
  CHECK(one.get("k") == "1");
  CHECK_FALSE(other.get("k"));
}

TEST_CASE("the longest key of an owner fits") {
  const auto store = make_memory_store();
  Space space(*store, UINT64_MAX);
  const std::string key(kStoreKeyBytesMax - Space::kPrefixBytes, '\xff');
  put(space, key, "longest");
  CHECK(space.get(key) == "longest");
  const auto cursor = space.cursor();
  REQUIRE(cursor->seek(key));
  CHECK(cursor->key() == key);
  CHECK_FALSE(cursor->next());
}

TEST_CASE("a space is erased in bounded steps and other spaces are unchanged") {
  const auto store = make_memory_store();
  Space before(*store, 1);
  Space space(*store, 2);
  Space behind(*store, 3);
  put(before, "a", "");
  put(behind, "a", "");
  for (int i = 0; i < 25; ++i) put(space, fmt::format("{}", i), "");

  CHECK(space.erase_some(0));
  CHECK(store->size() == 27);
  CHECK(space.erase_some(10));
  CHECK(store->size() == 17);
  CHECK(space.erase_some(10));
  CHECK(store->size() == 7);
  CHECK_FALSE(space.erase_some(10));
  CHECK(store->size() == 2);
  CHECK_FALSE(space.erase_some(10));
  CHECK(before.get("a"));
  CHECK(behind.get("a"));

  for (int i = 0; i < 10; ++i) put(space, fmt::format("{}", i), "");
  CHECK_FALSE(space.erase_some(10));  // exactly all entries: none are left
}

}  // namespace laurel
