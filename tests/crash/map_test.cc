// A process with little address space: the file is mapped with what there is, and mapped again when
// it has outgrown its map.
#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "process_limit.h"
#include "store/durable/durable_store.h"
#include "store/durable/map_size.h"

namespace laurel::crash {

namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

std::unique_ptr<DurableStore> open_mapped(const std::string& path, std::size_t map_bytes,
                                          std::size_t map_bytes_max = kStoreMapBytesMax) {
  auto opened =
      DurableStore::open({.path = path, .map_bytes_max = map_bytes_max, .map_bytes = map_bytes},
                         Log([](Level, std::string_view) {}));
  if (!opened) FAIL(opened.refusal().text());
  return std::move(*opened);
}

// Rows first to last - 1, of about a kilobyte each.
void write_rows(Store& store, int first, int last) {
  Batch batch;
  for (int number = first; number < last; ++number) {
    batch.put(fmt::format("key {:08}", number), std::string(1000, 'v') + std::to_string(number));
  }
  store.write(batch);
}

void has_rows(const Reader& store, int rows, int end) {
  int wrong = 0;
  for (int number = 0; number < end; ++number) {
    const auto value = store.get(fmt::format("key {:08}", number));
    const bool is_right = value && value->substr(1000) == std::to_string(number);
    wrong += is_right == (number < rows) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a file that outgrows its map is mapped again, many times in one flush") {
  const Scratch scratch;
  auto store = open_mapped(scratch.path("rows"), kMega);
  write_rows(*store, 0, 30'000);  // thirty times the map
  const Status flushed = store->flush();
  if (!flushed) FAIL(flushed.refusal().text());
  CHECK(store->progress().failures == 0);
  has_rows(*store, 30'000, 30'100);
  store.reset();
  store = open_mapped(scratch.path("rows"), kMega);  // less than the file has
  has_rows(*store, 30'000, 30'100);
  write_rows(*store, 30'000, 31'000);
  REQUIRE(store->flush());
  has_rows(*store, 31'000, 31'100);
}

TEST_CASE("ticks map a grown file again, and no write is refused meanwhile") {
  const Scratch scratch;
  const auto store = open_mapped(scratch.path("rows"), kMega);
  for (int i = 0; i < 200; ++i) {
    REQUIRE(store->accepts());
    write_rows(*store, 100 * i, 100 * (i + 1));
    store->begin_commit();
    if (i % 20 == 0) has_rows(*store, 100 * (i + 1), 100 * (i + 1) + 10);
  }
  REQUIRE(store->flush());
  CHECK(store->progress().failures == 0);
  has_rows(*store, 20'000, 20'100);
}

TEST_CASE("while a snapshot is open the map does not grow, and the snapshot does not change") {
  const Scratch scratch;
  const auto store = open_mapped(scratch.path("rows"), kMega);
  write_rows(*store, 0, 100);
  REQUIRE(store->flush());
  auto snapshot = store->snapshot();
  write_rows(*store, 100, 20'000);
  for (int i = 0; i < 3; ++i) {
    const Status flushed = store->flush();
    REQUIRE_FALSE(flushed);
    CHECK(flushed.refusal().code() == Code::unavailable);
    CHECK(flushed.refusal().text().find("snapshot") != std::string_view::npos);
    store->begin_commit();
  }
  has_rows(*snapshot, 100, 20'000);
  has_rows(*store, 20'000, 20'100);
  snapshot.reset();
  REQUIRE(store->flush());
  has_rows(*store, 20'000, 20'100);
}

TEST_CASE("at the greatest size of a map writes are refused with that size, and nothing is lost") {
  const Scratch scratch;
  auto store = open_mapped(scratch.path("rows"), kMega, 8 * kMega);
  write_rows(*store, 0, 1000);
  REQUIRE(store->flush());
  write_rows(*store, 1000, 20'000);
  const Status flushed = store->flush();
  REQUIRE_FALSE(flushed);
  CAPTURE(flushed.refusal().text());
  CHECK(flushed.refusal().code() == Code::unavailable);
  CHECK(flushed.refusal().text().find("8 MB") != std::string_view::npos);
  CHECK_FALSE(store->accepts());
  has_rows(*store, 20'000, 20'100);
  store.reset();
  store = open_mapped(scratch.path("rows"), kMega);
  has_rows(*store, 1000, 20'100);
}

TEST_CASE("of limited address space a map takes half, and leaves the rest to the host") {
  CHECK(first_map_bytes(0, kStoreMapBytesMax) == kStoreMapBytesMax);
  const ProcessLimit left(RLIMIT_AS, address_space_left(1000 * kMega));
  const std::size_t first = first_map_bytes(0, kStoreMapBytesMax);
  CHECK(first <= 500 * kMega);
  CHECK(first >= 450 * kMega);
  CHECK(first_map_bytes(600 * kMega, kStoreMapBytesMax) > 600 * kMega);
  const auto grown = grown_map_bytes(400 * kMega, kStoreMapBytesMax);
  REQUIRE(grown);
  CHECK(*grown == 800 * kMega);
  CHECK(*grown_map_bytes(2000 * kMega, kStoreMapBytesMax) <= 2500 * kMega);
  CHECK(grown_map_bytes(400 * kMega, 400 * kMega) == std::nullopt);
  const ProcessLimit little(RLIMIT_AS, address_space_left(kStoreMapBytesMin));
  CHECK(grown_map_bytes(kMega, kStoreMapBytesMax) == std::nullopt);
}

TEST_CASE("with any address space a directory opens and works, or is refused with a sentence") {
  Scene scene(81);
  scene.play(60);
  REQUIRE(scene.registry->close());
  scene.registry.reset();
  bool opened_once = false;
  bool refused_once = false;
  for (const std::size_t megas : {24, 64, 128, 256, 512}) {
    CAPTURE(megas);
    const ProcessLimit left(RLIMIT_AS, address_space_left(megas * kMega));
    const Status opened = scene.reopen();
    if (!opened) {
      refused_once = true;
      CAPTURE(opened.refusal().text());
      CHECK(opened.refusal().code() == Code::unavailable);
      CHECK(opened.refusal().text().find("RLIMIT_AS") != std::string_view::npos);
      continue;
    }
    opened_once = true;
    scene.play(20);
    REQUIRE(scene.registry->flush());
    REQUIRE(scene.registry->close());
    scene.registry.reset();
  }
  CHECK(opened_once);
  CHECK(refused_once);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE("a file that may not be mapped larger is not written, and is when the limit is raised") {
  const Scratch scratch;
  const auto store = open_mapped(scratch.path("rows"), kMega);
  write_rows(*store, 0, 100);
  REQUIRE(store->flush());
  write_rows(*store, 100, 20'000);
  {
    const ProcessLimit little(RLIMIT_AS, address_space_left(kStoreMapBytesMin));
    const Status flushed = store->flush();
    REQUIRE_FALSE(flushed);
    CAPTURE(flushed.refusal().text());
    CHECK(flushed.refusal().text().find("RLIMIT_AS") != std::string_view::npos);
    CHECK_FALSE(store->accepts());
    has_rows(*store, 20'000, 20'010);
  }
  REQUIRE(store->flush());
  has_rows(*store, 20'000, 20'100);
}

}  // namespace laurel::crash
