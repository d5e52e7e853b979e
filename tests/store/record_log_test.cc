// Records of a log in a store in memory and on a disk, compared with a list of them.
#include "store/record_log.h"

#include <deque>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "folder.h"
#include "store/durable/durable_store.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

struct Appended {
  RecordLog::Place place;
  std::string record;
};

class Host {
 public:
  explicit Host(bool durable) : durable_(durable) { start(); }

  void start() {
    log.reset();
    if (!durable_) {
      if (!store) store = make_memory_store();
    } else {
      store.reset();
      auto opened = DurableStore::open({.path = folder_ / "store", .durability = Durability::none},
                                       Log([](Level, std::string_view) {}));
      REQUIRE(opened);
      store = std::move(*opened);
    }
    log.emplace(*store, 7);
  }

  std::unique_ptr<Store> store;
  std::optional<RecordLog> log;

 private:
  test::Folder folder_{"records"};
  bool durable_;
};

std::string random_record(std::mt19937_64& random) {
  const std::size_t most = random() % 8 == 0 ? RecordLog::kRecordBytesMax : 300;
  std::string record(1 + random() % most, '\0');
  for (char& byte : record) byte = static_cast<char>(random());
  return record;
}

void compare(const RecordLog& log, const std::deque<Appended>& all) {
  for (const Appended& each : all) REQUIRE(log.read(each.place) == each.record);
  auto next = all.begin();
  for (std::uint64_t number = log.first(); number <= log.last(); ++number) {
    REQUIRE(
        RecordLog::each_in(log.chunk(number), [&](std::uint32_t offset, std::string_view bytes) {
          REQUIRE(next != all.end());
          REQUIRE(next->place == RecordLog::Place{number, offset});
          REQUIRE(next->record == bytes);
          ++next;
        }));
  }
  REQUIRE(next == all.end());
}

}  // namespace

TEST_CASE(
    "records are read as they were appended, whether they wait, are written, or are on disk") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const bool durable = seed % 3 != 0;
    Host host(durable);
    std::deque<Appended> all;
    for (int step = 0; step < 600; ++step) {
      CAPTURE(step);
      switch (random() % 24) {
        case 0: host.store->begin_commit(); break;
        case 1: REQUIRE(host.store->flush()); break;
        case 2:
          if (host.log->first() == host.log->last()) break;
          while (!all.empty() && all.front().place.chunk == host.log->first()) all.pop_front();
          host.log->drop_first();
          break;
        case 3: {
          if (!durable || random() % 4 != 0) break;
          REQUIRE(host.store->flush());
          host.start();
          bool whole = true;
          REQUIRE(host.log->load([&](std::uint64_t, std::string_view chunk) {
            whole = whole && RecordLog::each_in(chunk, [](std::uint32_t, std::string_view) {});
          }));
          REQUIRE(whole);
          break;
        }
        default: {
          const std::string record = random_record(random);
          const RecordLog::Place place = host.log->append(record);
          if (!all.empty()) REQUIRE(all.back().place < place);
          all.push_back({place, record});
        }
      }
      if (step % 16 == 0) compare(*host.log, all);
    }
    compare(*host.log, all);
  }
}

TEST_CASE("a chunk becomes settled, and its record stays readable") {
  Host host(true);
  const std::string record(1000, 'x');
  const RecordLog::Place first = host.log->append(record);
  for (int i = 0; i < 10; ++i) host.log->append(record);
  CHECK(!host.log->is_settled(first.chunk));
  for (int i = 0; i < 3; ++i) {
    host.log->append(record);
    REQUIRE(host.store->flush());
  }
  CHECK(host.log->is_settled(first.chunk));
  CHECK(!host.log->is_settled(host.log->last()));
  CHECK(host.log->read(first) == record);
}

TEST_CASE("rows that are no chunks are found when a log is read") {
  const auto loads = [](std::string_view key, std::string_view value) {
    Host host(false);
    Batch batch;
    Space(*host.store, 7).put(batch, key, value);
    host.store->write(batch);
    bool whole = true;
    const bool chunks = host.log->load([&](std::uint64_t, std::string_view chunk) {
      whole = RecordLog::each_in(chunk, [](std::uint32_t, std::string_view) {});
    });
    return chunks && whole;
  };
  const std::string key(8, '\1');
  CHECK(loads(key, std::string("\1\0x", 3)));
  CHECK(!loads("short", std::string("\1\0x", 3)));
  CHECK(!loads(key, std::string("\2\0x", 3)));
  CHECK(!loads(key, std::string("\0\0", 2)));
  CHECK(!loads(key, "x"));
  CHECK(!loads(key, std::string(RecordLog::kChunkBytes + 1, '\1')));
}

TEST_CASE("the rows of a log are gone after it was retired") {
  Host host(true);
  for (int i = 0; i < 100; ++i) host.log->append(std::string(200, 'x'));
  REQUIRE(host.store->flush());
  host.log->append("waits");
  host.log->retire();
  for (int i = 0; i < 3; ++i) REQUIRE(host.store->flush());
  CHECK(!Space(*host.store, 7).cursor()->seek({}));
}

}  // namespace laurel
