#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "entries.h"
#include "every_store.h"
#include "store/store.h"

namespace laurel {

namespace {

using namespace std::string_literals;

// The key at which the cursor is; "-" if it is not at an entry.
std::string at(const Cursor& cursor, bool stands) {
  return stands ? std::string(cursor.key()) : "-"s;
}

}  // namespace

TEST_CASE("get() finds a key after put() and not after erase()") {
  every_store([](Store& store) {
    CHECK_FALSE(store.get("a"));
    put(store, "a", "1");
    CHECK(store.get("a") == "1");
    CHECK_FALSE(store.get("b"));
    CHECK_FALSE(store.get("a\0"s));
    put(store, "a", "2");
    CHECK(store.get("a") == "2");
    CHECK(count(store) == 1);
    erase(store, "a");
    CHECK_FALSE(store.get("a"));
    CHECK(count(store) == 0);
  });
}

TEST_CASE("erasing an absent key does nothing") {
  every_store([](Store& store) {
    erase(store, "a");
    put(store, "b", "1");
    erase(store, "a");
    erase(store, "c");
    CHECK(show(store) == "b=1");
    CHECK(count(store) == 1);
  });
}

TEST_CASE("the last write to a key in a batch wins") {
  every_store([](Store& store) {
    Batch batch;
    batch.put("a", "1");
    batch.put("a", "2");
    batch.put("b", "1");
    batch.erase("b");
    batch.erase("c");
    batch.put("c", "3");
    store.write(batch);
    CHECK(show(store) == "a=2 c=3");
    CHECK(count(store) == 2);
  });
}

TEST_CASE("an empty batch changes nothing, and a cleared batch is empty") {
  every_store([](Store& store) {
    put(store, "a", "1");
    Batch batch;
    CHECK(batch.empty());
    store.write(batch);
    batch.put("b", "2");
    CHECK(batch.size() == 1);
    CHECK(batch.bytes() == 2);
    batch.clear();
    CHECK(batch.empty());
    CHECK(batch.bytes() == 0);
    store.write(batch);
    CHECK(show(store) == "a=1");
  });
}

TEST_CASE("a batch returns its writes in call order") {
  Batch batch;
  batch.put("b", "");
  batch.erase("a");
  batch.put("c", "3");
  REQUIRE(batch.size() == 3);
  CHECK(batch[0].key == "b");
  CHECK(batch[0].value == "");
  CHECK(batch[1].key == "a");
  CHECK_FALSE(batch[1].value);
  CHECK(batch[2].key == "c");
  CHECK(batch[2].value == "3");
}

TEST_CASE("a batch can be written again") {
  every_store([](Store& store) {
    Batch batch;
    batch.put("a", "1");
    batch.erase("b");
    store.write(batch);
    put(store, "a", "2");
    put(store, "b", "2");
    store.write(batch);
    CHECK(show(store) == "a=1");
  });
}

TEST_CASE("keys are in unsigned byte order, a prefix first") {
  every_store([](Store& store) {
    const std::vector<std::string> keys = {"\0"s,   "\0\0"s, "\0\xff"s, "\x01"s,   "a"s,
                                           "a\0"s,  "aa"s,   "a\x7f"s,  "a\x80"s,  "b"s,
                                           "\x7f"s, "\x80"s, "\xff"s,   "\xff\0"s, "\xff\xff"s};
    Batch batch;
    for (std::size_t i = 0; i < keys.size(); ++i) batch.put(keys[i * 7 % keys.size()], "");
    store.write(batch);
    REQUIRE(count(store) == keys.size());
    const auto cursor = store.cursor();
    bool stands = cursor->seek("");
    for (const std::string& key : keys) {
      REQUIRE(stands);
      CHECK(cursor->key() == key);
      CHECK(store.get(key) == "");
      stands = cursor->next();
    }
    CHECK_FALSE(stands);
  });
}

TEST_CASE("the longest keys may differ only in their last byte") {
  every_store([](Store& store) {
    const std::string stem(kStoreKeyBytesMax - 1, 'k');
    for (int last = 255; last >= 0; --last) {
      put(store, stem + static_cast<char>(last), fmt::format("{}", last));
    }
    put(store, stem, "stem");
    CHECK(count(store) == 257);
    const auto cursor = store.cursor();
    REQUIRE(cursor->seek(stem));
    CHECK(cursor->value() == "stem");
    for (int last = 0; last < 256; ++last) {
      REQUIRE(cursor->next());
      REQUIRE(cursor->value() == fmt::format("{}", last));
      REQUIRE(store.get(stem + static_cast<char>(last)) == cursor->value());
    }
    CHECK_FALSE(cursor->next());
  });
}

TEST_CASE("values of any length are returned unchanged, also after replacing each other") {
  every_store([](Store& store) {
    const std::size_t lengths[] = {0, 1, 255, 256, 257, 1000, 4096, 65'536, kStoreValueBytesMax};
    const auto value = [](std::size_t length, char seed) {
      std::string bytes(length, '\0');
      for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(i * 31 + seed);
      return bytes;
    };
    for (const std::size_t before : lengths) {
      for (const std::size_t after : lengths) {
        CAPTURE(before);
        CAPTURE(after);
        put(store, "k", value(before, 'b'));
        REQUIRE(store.get("k") == value(before, 'b'));
        put(store, "k", value(after, 'a'));
        REQUIRE(store.get("k") == value(after, 'a'));
      }
    }
    CHECK(count(store) == 1);
    erase(store, "k");
    CHECK(count(store) == 0);
  });
}

TEST_CASE("a cursor on an empty store is never at an entry") {
  every_store([](Store& store) {
    const auto snapshot = store.snapshot();
    for (const Reader* reader : {static_cast<const Reader*>(&store), snapshot.get()}) {
      const auto cursor = reader->cursor();
      CHECK_FALSE(cursor->seek(""));
      CHECK_FALSE(cursor->seek("a"));
      CHECK_FALSE(cursor->seek_before(""));
      CHECK_FALSE(cursor->seek_before("a"));
    }
  });
}

TEST_CASE("seek finds the first entry at or after a key, and seek_before the last one before it") {
  every_store([](Store& store) {
    for (const char* key : {"b", "d", "f"}) put(store, key, "");
    const auto cursor = store.cursor();
    const auto seek = [&](std::string_view key) { return at(*cursor, cursor->seek(key)); };
    const auto before = [&](std::string_view key) { return at(*cursor, cursor->seek_before(key)); };
    CHECK(seek("") == "b");
    CHECK(seek("a") == "b");
    CHECK(seek("b") == "b");
    CHECK(seek("b\0"s) == "d");
    CHECK(seek("f") == "f");
    CHECK(seek("f\0"s) == "-");
    CHECK(seek("\xff") == "-");
    CHECK(before("") == "-");
    CHECK(before("b") == "-");
    CHECK(before("b\0"s) == "b");
    CHECK(before("c") == "b");
    CHECK(before("d") == "b");
    CHECK(before("f") == "d");
    CHECK(before("g") == "f");
    CHECK(before("\xff") == "f");
  });
}

TEST_CASE("a cursor can turn around anywhere, and can seek again after either end") {
  every_store([](Store& store) {
    for (const char* key : {"a", "b", "c"}) put(store, key, key);
    const auto cursor = store.cursor();
    REQUIRE(cursor->seek("b"));
    CHECK(at(*cursor, cursor->next()) == "c");
    CHECK(at(*cursor, cursor->previous()) == "b");
    CHECK(at(*cursor, cursor->previous()) == "a");
    CHECK(cursor->value() == "a");
    CHECK(at(*cursor, cursor->next()) == "b");
    CHECK(at(*cursor, cursor->next()) == "c");
    CHECK(at(*cursor, cursor->next()) == "-");
    CHECK(at(*cursor, cursor->seek_before("b")) == "a");
    CHECK(at(*cursor, cursor->previous()) == "-");
    CHECK(at(*cursor, cursor->seek("c")) == "c");
    CHECK(show_backwards(store) == "c=c b=b a=a");
  });
}

TEST_CASE("cursors of one reader are independent") {
  every_store([](Store& store) {
    for (const char* key : {"a", "b", "c"}) put(store, key, key);
    const auto one = store.cursor();
    const auto other = store.cursor();
    REQUIRE(one->seek("a"));
    REQUIRE(other->seek("c"));
    REQUIRE(one->next());
    CHECK(one->key() == "b");
    CHECK(other->key() == "c");
  });
}

TEST_CASE("a snapshot never changes") {
  every_store([](Store& store) {
    const auto empty = store.snapshot();
    put(store, "a", "1");
    put(store, "b", std::string(5000, 'x'));
    const auto two = store.snapshot();
    const std::string shown = show(*two);
    const std::string_view long_value = *two->get("b");

    put(store, "a", "2");
    erase(store, "b");
    put(store, "c", "3");
    CHECK(show(store) == "a=2 c=3");
    CHECK(show(*empty).empty());
    CHECK(count(*empty) == 0);
    CHECK(show(*two) == shown);
    CHECK(count(*two) == 2);
    CHECK(long_value == std::string(5000, 'x'));
  });
}

TEST_CASE("a cursor on a snapshot can continue while the store is written") {
  every_store([](Store& store) {
    for (int i = 0; i < 1000; ++i) put(store, fmt::format("{:04}", i), "old");
    const auto snapshot = store.snapshot();
    const auto cursor = snapshot->cursor();
    int seen = 0;
    for (bool stands = cursor->seek(""); stands; stands = cursor->next(), ++seen) {
      REQUIRE(cursor->key() == fmt::format("{:04}", seen));
      REQUIRE(cursor->value() == "old");
      erase(store, fmt::format("{:04}", seen));
      put(store, fmt::format("{:04}+", seen), "new");
    }
    CHECK(seen == 1000);
    CHECK(count(store) == 1000);
  });
}

TEST_CASE("snapshots of the same state are equal, and can end in any order") {
  every_store([](Store& store) {
    put(store, "a", "1");
    auto first = store.snapshot();
    auto second = store.snapshot();
    put(store, "a", "2");
    auto third = store.snapshot();
    put(store, "a", "3");
    first.reset();
    CHECK(show(*second) == "a=1");
    third.reset();
    CHECK(show(*second) == "a=1");
    second.reset();
    CHECK(show(store) == "a=3");
  });
}

}  // namespace laurel
