// A slow disk does not fill the memory: unwritten data has a limit, and beyond it writes are
// refused.
#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "faults.h"
#include "registry/registry.h"
#include "store/durable/durable_store.h"

namespace laurel::crash {

namespace {

constexpr std::size_t kWaitingMax = 256 * 1024;

std::unique_ptr<DurableStore> open_store(const std::string& path) {
  auto opened = DurableStore::open({.path = path, .waiting_bytes_max = kWaitingMax},
                                   Log([](Level, std::string_view) {}));
  if (!opened) FAIL(opened.refusal().text());
  return std::move(*opened);
}

Batch entry(int number) {
  Batch batch;
  batch.put(fmt::format("key {:08}", number), std::string(200, 'v'));
  return batch;
}

// Writes until the store refuses. Returns the number of writes.
int write_until_refused(Store& store, bool hands_over) {
  int number = 0;
  for (; store.accepts() && number < 100'000; ++number) {
    store.write(entry(number));
    if (hands_over && number % 16 == 0) store.begin_commit();
  }
  REQUIRE(number < 100'000);
  return number;
}

void holds(const Store& store, int count) {
  for (int number = 0; number < count; ++number) {
    Batch batch = entry(number);
    REQUIRE(store.get(batch[0].key) == batch[0].value);
  }
}

}  // namespace

TEST_CASE("with a hanging disk at most the limit waits, and all of it is written in the end") {
  const Scratch scratch;
  const auto store = open_store(scratch.path("rows"));
  const faults::Cure cure;
  faults::hold(Call::sync);
  store->write(entry(0));
  store->begin_commit();
  REQUIRE(faults::await_held());
  const int written = write_until_refused(*store, true);
  CHECK(store->accepts().refusal().code() == Code::unavailable);
  // The limit is checked before a write, and a tree page counts as a whole.
  CHECK(store->bytes() <= kWaitingMax + 3 * kTreePageBytes);
  CHECK(store->bytes() >= kWaitingMax);
  CHECK(written > 200);
  holds(*store, written);
  faults::release();
  REQUIRE(store->flush());
  CHECK(store->accepts());
  holds(*store, written);
}

TEST_CASE("the limit also applies if no batch is handed over") {
  const Scratch scratch;
  const auto store = open_store(scratch.path("rows"));
  const faults::Cure cure;
  const int written = write_until_refused(*store, false);
  CHECK(store->bytes() <= kWaitingMax + 3 * kTreePageBytes);
  REQUIRE(store->flush());
  CHECK(store->accepts());
  holds(*store, written);
}

TEST_CASE("with a failing disk the waiting data does not grow") {
  const Scratch scratch;
  const auto store = open_store(scratch.path("rows"));
  const faults::Cure cure;
  faults::arm({.call = Call::pages, .for_ever = true});
  store->write(entry(0));
  CHECK_FALSE(store->flush());
  const std::size_t waiting = store->bytes();
  for (int i = 0; i < 1000; ++i) {
    if (store->accepts()) store->write(entry(i));
    store->begin_commit();
  }
  CHECK(store->bytes() == waiting);
  faults::end();
  REQUIRE(store->flush());
  holds(*store, 1);
}

TEST_CASE("ticks and submissions do not wait for a hanging disk") {
  Scene scene(41);
  scene.play(30);
  REQUIRE(scene.registry->flush());
  faults::hold(Call::sync);
  const std::uint64_t before = scene.registry->stats().disk.commits_begun;
  while (scene.registry->stats().disk.commits_begun == before) {
    scene.play(1);
    scene.registry->tick();
  }
  REQUIRE(faults::await_held());
  for (int i = 0; i < 50; ++i) {
    scene.step();
    scene.registry->tick();
  }
  CHECK(scene.refused == 0);
  CHECK(difference(scene.found(), scene.expected()) == "");
  const StoreProgress progress = scene.registry->stats().disk;
  CHECK(progress.waiting_writes > 0);
  CHECK(progress.on_disk < progress.commits_begun);
  faults::release();
  REQUIRE(scene.registry->flush());
  CHECK(scene.registry->stats().disk.waiting_bytes == 0);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE("writes of a hold are one transaction, whatever the disk does meanwhile") {
  const Scratch scratch;
  const auto store = open_store(scratch.path("rows"));
  const faults::Cure cure;
  store->write(entry(0));
  store->hold();
  faults::arm({.call = Call::sync, .for_ever = true});
  store->write(entry(1));
  store->begin_commit();
  CHECK(store->progress().commits_begun == 0);
  CHECK(store->flush().refusal().code() == Code::unavailable);
  CHECK(store->backup(scratch.path("copy")).refusal().code() == Code::unavailable);
  CHECK(store->accepts());
  CHECK(store->held_all());
  store->release();
  CHECK(!store->flush());
  CHECK(!store->accepts());
  store->hold();
  CHECK(store->accepts());  // a hold that has begun is not refused for the disk
  store->release();
  faults::end();
  CHECK(store->flush());
  CHECK(store->progress().commits_begun == 1);
  holds(*store, 2);
}

TEST_CASE("a hold may write as much as may wait for the disk, and then is refused") {
  const Scratch scratch;
  const auto store = open_store(scratch.path("rows"));
  const int before = write_until_refused(*store, false);
  store->hold();
  int held = 0;
  for (; store->accepts() && held < 100'000; ++held) store->write(entry(before + held));
  CHECK(held > before / 2);
  CHECK(held < before * 2);
  CHECK(!store->held_all());
  store->release();
  CHECK(!store->accepts());
  CHECK(store->flush());
  CHECK(store->accepts());
  holds(*store, before + held);
  store->hold();
  CHECK(store->held_all());
  store->release();
}

}  // namespace laurel::crash
