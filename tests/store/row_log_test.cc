// Rows of a log, read while some wait for the disk, compared with a map.
#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "folder.h"
#include "store/durable/durable_store.h"
#include "store/space.h"

namespace laurel {

namespace {

using Rows = std::map<std::string, std::string>;

Rows rows_now(const WriteBuffer& log, std::string_view part, WriteBuffer::Waiting waiting) {
  Rows rows;
  std::string before;
  log.each_now(part, waiting, [&](std::string_view row, std::string_view value) {
    CHECK(row.starts_with(part));
    CHECK((rows.empty() || before < row));
    before = row;
    rows.emplace(row, value);
  });
  return rows;
}

Rows beginning_with(const Rows& all, std::string_view part) {
  Rows rows;
  for (const auto& [row, value] : all) {
    if (row.starts_with(part)) rows.emplace(row, value);
  }
  return rows;
}

}  // namespace

TEST_CASE(
    "a log's rows are read as they are now, whether they wait, are written, or are on the disk") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const test::Folder folder("log");
    Result<std::unique_ptr<DurableStore>> opened =
        DurableStore::open({.path = folder / "store", .durability = Durability::none},
                           Log([](Level, std::string_view) {}));
    REQUIRE(opened);
    DurableStore& store = **opened;
    // The neighbours' rows must not show.
    std::unique_ptr<WriteBuffer> others[] = {Space(store, 6).open_log(),
                                             Space(store, 8).open_log()};
    const std::unique_ptr<WriteBuffer> log = Space(store, 7).open_log();
    Rows rows;
    for (int step = 0; step < 400; ++step) {
      CAPTURE(step);
      const std::string row = fmt::format("{}{}", random() % 3, random() % 20);
      switch (random() % 12) {
        case 0: store.begin_commit(); break;
        case 1: REQUIRE(store.flush()); break;
        case 2:
        case 3:
          log->erase(row);
          rows.erase(row);
          break;
        default: {
          const std::string value = fmt::format("{}", step);
          log->put(row, value);
          for (const auto& other : others) other->put(row, "other");
          rows[row] = value;
        }
      }
      const std::string part = step % 2 == 0 ? "" : fmt::format("{}", random() % 4);
      REQUIRE(rows_now(*log, part, WriteBuffer::Waiting::included) == beginning_with(rows, part));
    }
    REQUIRE(store.flush());
    const Rows on_disk = rows_now(*log, "", WriteBuffer::Waiting::left_out);
    CHECK(on_disk == rows);
    log->put("new", "row");
    CHECK(rows_now(*log, "", WriteBuffer::Waiting::left_out) == on_disk);
  }
}

}  // namespace laurel
