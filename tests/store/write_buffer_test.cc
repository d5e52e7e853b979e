// Rows of a buffer, read while some wait for the disk, compared with a map.
#include <map>
#include <new>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "folder.h"
#include "store/durable/durable_store.h"
#include "store/space.h"

namespace laurel {

namespace {

using Rows = std::map<std::string, std::string>;

std::string row_named(std::uint64_t number) {
  return fmt::format("{}{}", number / 20, number % 20);
}

Rows rows_now(const WriteBuffer& buffer) {
  Rows rows;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const std::string row = row_named(number);
    if (const auto value = buffer.get_now(row)) rows.emplace(row, *value);
  }
  return rows;
}

}  // namespace

TEST_CASE(
    "a buffer's rows are read as they are now, whether they wait, are written, or are on the "
    "disk") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const test::Folder folder("buffer");
    Result<std::unique_ptr<DurableStore>> opened =
        DurableStore::open({.path = folder / "store", .durability = Durability::none},
                           Log([](Level, std::string_view) {}));
    REQUIRE(opened);
    DurableStore& store = **opened;
    // The neighbours' rows must not show.
    std::unique_ptr<WriteBuffer> others[] = {Space(store, 6).open_buffer(),
                                             Space(store, 8).open_buffer()};
    const std::unique_ptr<WriteBuffer> buffer = Space(store, 7).open_buffer();
    Rows rows;
    for (int step = 0; step < 400; ++step) {
      CAPTURE(step);
      const std::string row = row_named(random() % 60);
      switch (random() % 12) {
        case 0: store.begin_commit(); break;
        case 1: REQUIRE(store.flush()); break;
        case 2:
        case 3:
          buffer->erase(row);
          rows.erase(row);
          break;
        default: {
          const std::string value = fmt::format("{}", step);
          buffer->put(row, value);
          for (const auto& other : others) other->put(row, "other");
          rows[row] = value;
        }
      }
      if (step % 4 == 0) REQUIRE(rows_now(*buffer) == rows);
    }
    REQUIRE(rows_now(*buffer) == rows);
  }
}

TEST_CASE("all rows of a buffer are visited in order, however many parts they are read in") {
  for (const int rows : {0, 1, 16'383, 16'384, 16'385, 32'768, 50'000}) {
    CAPTURE(rows);
    const test::Folder folder("buffer");
    const DurableOptions options{.path = folder / "store", .durability = Durability::none};
    const Log log([](Level, std::string_view) {});
    {
      Result<std::unique_ptr<DurableStore>> opened = DurableStore::open(options, log);
      REQUIRE(opened);
      for (const SpaceNumber space : {6, 7, 8}) {
        const std::unique_ptr<WriteBuffer> buffer = Space(**opened, space).open_buffer();
        for (int i = 0; i < rows; ++i) buffer->put(fmt::format("{:05}", i), fmt::format("{}", i));
        REQUIRE((*opened)->flush());
      }
    }
    Result<std::unique_ptr<DurableStore>> opened = DurableStore::open(options, log);
    REQUIRE(opened);
    int visited = 0;
    int wrong = 0;
    Space(**opened, 7).open_buffer()->each([&](std::string_view row, std::string_view value) {
      if (row != fmt::format("{:05}", visited) || value != fmt::format("{}", visited)) ++wrong;
      ++visited;
    });
    CHECK(visited == rows);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a visitor of rows that throws ends the visit") {
  const test::Folder folder("buffer");
  const DurableOptions options{.path = folder / "store", .durability = Durability::none};
  Result<std::unique_ptr<DurableStore>> opened =
      DurableStore::open(options, Log([](Level, std::string_view) {}));
  REQUIRE(opened);
  const std::unique_ptr<WriteBuffer> buffer = Space(**opened, 7).open_buffer();
  for (int i = 0; i < 40'000; ++i) buffer->put(fmt::format("{:05}", i), "");
  REQUIRE((*opened)->flush());
  int visited = 0;
  CHECK_THROWS_AS(buffer->each([&](std::string_view, std::string_view) {
    if (++visited == 20'000) throw std::bad_alloc();
  }),
                  std::bad_alloc);
  CHECK(visited == 20'000);
}

TEST_CASE("what an owner gathers is put when a commit begins, once for each announcement") {
  const test::Folder folder("buffer");
  Result<std::unique_ptr<DurableStore>> opened =
      DurableStore::open({.path = folder / "store", .durability = Durability::none},
                         Log([](Level, std::string_view) {}));
  REQUIRE(opened);
  DurableStore& store = **opened;
  const std::unique_ptr<WriteBuffer> buffer = Space(store, 7).open_buffer();
  int puts = 0;
  buffer->gather([&] { buffer->put("row", fmt::format("{}", ++puts)); });
  REQUIRE(store.flush());
  CHECK(puts == 0);
  buffer->announce();
  buffer->announce();
  REQUIRE(store.flush());
  CHECK(puts == 1);
  CHECK(Space(store, 7).get("row") == "1");
  REQUIRE(store.flush());
  CHECK(puts == 1);
  buffer->put("other", "");
  buffer->announce();
  REQUIRE(store.flush());
  CHECK(Space(store, 7).get("row") == "2");
  buffer->announce();
  buffer->retire();
  REQUIRE(store.flush());
  CHECK(puts == 2);
  CHECK(!Space(store, 7).get("row"));
}

}  // namespace laurel
