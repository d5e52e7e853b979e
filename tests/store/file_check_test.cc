#include "store/check/file_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "entries.h"
#include "raw_file.h"
#include "store/durable/durable_store.h"
#include "store/durable/row_sum.h"

namespace laurel {

namespace {

std::string refused(const std::string& file) {
  const auto facts = check_file(file, as_written, {});
  return facts ? "accepted" : std::string(facts.refusal().text());
}

void write_bytes(const std::string& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

// Checks that two threads accept the file, too, and each visit entries in key order.
void compare_in_two(const std::string& file, const FileFacts& in_one, const Map& map) {
  std::mutex mutex;
  std::map<std::thread::id, std::string> last;
  std::size_t seen = 0;
  std::size_t wrong = 0;
  const RowCheck row = [&](std::string_view key, std::string_view stored) -> Status {
    const std::scoped_lock lock(mutex);
    const auto at = map.find(std::string(key));
    if (at == map.end() || checked(key, stored) != std::optional<std::string_view>(at->second)) {
      ++wrong;
    }
    std::string& before = last[std::this_thread::get_id()];
    if (key <= before) ++wrong;
    before = key;
    ++seen;
    return Done{};
  };
  const auto facts = check_file(file, row, {}, CheckThreads::two);
  if (!facts) FAIL(facts.refusal().c_str());
  CHECK(wrong == 0);
  CHECK(seen == map.size());
  CHECK(last.size() <= 2);
  CHECK(facts->entries == in_one.entries);
  CHECK(facts->pages_used == in_one.pages_used);
  CHECK(facts->pages_free == in_one.pages_free);
}

// Checks that an LMDB file is accepted, that all entries come in order, and that the counts match
// LMDB's.
void compare(const std::string& file, const RawFile& lmdb, const Map& map) {
  auto next = map.begin();
  const RowCheck row = [&](std::string_view key, std::string_view stored) -> Status {
    REQUIRE(next != map.end());
    REQUIRE(key == next->first);
    REQUIRE(checked(key, stored) == std::optional<std::string_view>(next->second));
    ++next;
    return Done{};
  };
  const auto facts = check_file(file, row, {});
  if (!facts) FAIL(facts.refusal().c_str());
  CHECK(next == map.end());
  CHECK(facts->entries == map.size());
  CHECK(facts->entries == lmdb.entries());
  CHECK(facts->depth == lmdb.depth());
  CHECK(facts->transaction == lmdb.transaction());
  CHECK(facts->pages_used == lmdb.pages_used());
  CHECK(facts->pages_free == lmdb.pages_free());
  CHECK(facts->file_bytes == std::filesystem::file_size(file));
  compare_in_two(file, *facts, map);
}

}  // namespace

TEST_CASE("a new file is sound and empty") {
  const RawDirectory directory;
  const RawFile lmdb(directory.file("new"));
  compare(directory.file("new"), lmdb, {});
}

TEST_CASE("a file is sound after each transaction of a random history") {
  const int histories = short_or_long(6, 200);
  for (int seed = 0; seed < histories; ++seed) {
    CAPTURE(seed);
    const RawDirectory directory;
    const std::string file = directory.file("store");
    RawFile lmdb(file);
    Map map;
    RandomRows rows(static_cast<std::uint64_t>(seed), seed % 2 == 0 ? 3000 : 200,
                    kStoreValueBytesMax);
    for (int step = 0; step < 120; ++step) {
      CAPTURE(step);
      if (rows.below(20) == 0) lmdb.hold_state();
      if (rows.below(20) == 0) lmdb.let_go();
      const bool shrinks = step / 20 % 3 == 2;
      rows.write_some(lmdb, map, step % 10 == 0 ? 1000 : 20, shrinks ? 90 : 20);
      compare(file, lmdb, map);
    }
  }
}

TEST_CASE("a file is sound after all rows are erased, and after it is filled again") {
  const RawDirectory directory;
  const std::string file = directory.file("store");
  RawFile lmdb(file);
  RandomRows rows(1, 2000, kStoreValueBytesMax);
  Map map;
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    rows.write_some(lmdb, map, 3000, 0);
    compare(file, lmdb, map);
    Writes all;
    for (const auto& [key, value] : map) all.emplace_back(key, std::nullopt);
    map.clear();
    lmdb.write(all);
    compare(file, lmdb, map);
  }
}

TEST_CASE("a file is sound after a transaction of more pages than LMDB keeps in memory" *
          doctest::skip(!long_form())) {
  const RawDirectory directory;
  const std::string file = directory.file("store");
  RawFile lmdb(file);
  Writes writes;
  Map map;
  // LMDB keeps 131,071 changed pages in memory, and writes the others early.
  for (int i = 0; i < 150'000; ++i) {
    const std::string key = fmt::format("{:06}", i * 7919 % 150'000);
    writes.emplace_back(key, std::string(std::size_t{i % 6 == 0 ? 100U : 2200U}, 'v'));
    map.insert_or_assign(key, *writes.back().second);
  }
  lmdb.write(writes);
  compare(file, lmdb, map);
  for (auto& [key, value] : writes) value = map[key] = "short";
  lmdb.write(writes);
  compare(file, lmdb, map);
}

TEST_CASE("plain and compact copies of a file are sound") {
  const RawDirectory directory;
  RawFile lmdb(directory.file("store"));
  Map map;
  RandomRows rows(7, 3000, kStoreValueBytesMax);
  for (const bool filled : {false, true}) {
    if (filled) {
      for (int step = 0; step < 50; ++step) rows.write_some(lmdb, map, 200, 30);
    }
    for (const bool compact : {false, true}) {
      CAPTURE(filled);
      CAPTURE(compact);
      const std::string file = directory.file(compact ? "compact" : "copy");
      std::filesystem::remove(file);
      lmdb.copy(file, compact);
      RawFile copy(file);
      compare(file, copy, map);
      CHECK(copy.read() == map);
    }
  }
}

TEST_CASE("progress is reported while rows are checked") {
  const RawDirectory directory;
  const std::string file = directory.file("store");
  {
    RawFile lmdb(file);
    Writes writes;
    for (int i = 0; i < 600'000; ++i) writes.emplace_back(fmt::format("{:06}", i), "");
    lmdb.write(writes);
  }
  std::vector<std::uint64_t> told;
  const auto facts =
      check_file(file, as_written, [&](std::uint64_t rows) { told.push_back(rows); });
  REQUIRE(static_cast<bool>(facts));
  REQUIRE(told.size() >= 2);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.back() <= facts->entries);
}

TEST_CASE("a row refused by the callback is reported with its page") {
  const RawDirectory directory;
  const std::string file = directory.file("store");
  RawFile(file).write({{"a", "1"}, {"b", "2"}});
  const auto facts = check_file(file,
                                [](std::string_view key, std::string_view) -> Status {
                                  if (key == "a") return Done{};
                                  return Refusal(Code::unsupported, "it is too new");
                                },
                                {});
  REQUIRE_FALSE(static_cast<bool>(facts));
  CHECK(facts.refusal().text() == "unsupported: page 2: it is too new");
}

TEST_CASE("a file that is not LMDB's is unavailable, not damaged") {
  const RawDirectory directory;
  CHECK(refused(directory.file("missing")).starts_with("unavailable: reading "));
  CHECK(refused(directory.file("")).starts_with("unavailable: "));
  REQUIRE(::mkfifo(directory.file("pipe").c_str(), 0600) == 0);
  CHECK(refused(directory.file("pipe")).ends_with("is no file"));
  write_bytes(directory.file("text"), std::string(20'000, 'x'));
  CHECK(refused(directory.file("text")) == "unavailable: it is no file of LMDB's");

  const std::string file = directory.file("store");
  RawFile(file).write({{"a", "1"}});
  for (const long meta : {0, 4096}) {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(meta + 20);
    out.put('\x02');
  }
  CHECK(refused(file) == "unavailable: LMDB's format 2 is not known");
}

TEST_CASE("an empty file is damaged, although LMDB would accept it as new") {
  const RawDirectory directory;
  write_bytes(directory.file("empty"), "");
  CHECK(refused(directory.file("empty")) ==
        "bad_data: page 0: the file ends after 0 bytes, before both meta pages");
}

TEST_CASE("a directory of a newer format is refused with both numbers, and not changed") {
  const RawDirectory directory;
  const std::string path = directory.file("boards");
  std::filesystem::create_directories(path);
  {
    RawFile file(path + "/laurel.mdb");
    file.write({{"laurel", std::string("\2\0\0\0", 4)}, {"later", "kept"}});
  }
  const auto bytes = [&] {
    std::ifstream in(path + "/laurel.mdb", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = bytes();
  const auto opened = DurableStore::open({.path = path}, Log([](Level, std::string_view) {}));
  REQUIRE_FALSE(opened);
  CHECK(opened.refusal().code() == Code::unsupported);
  CHECK(opened.refusal().text().find("format 2; this version reads format 1") !=
        std::string_view::npos);
  CHECK(bytes() == before);
}

}  // namespace laurel
