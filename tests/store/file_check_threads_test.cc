// What two threads find in a file, compared with what one thread finds.
#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "raw_file.h"
#include "store/check/file_check.h"

namespace laurel {

namespace {

constexpr int kRows = 20'000;

std::string row_named(std::uint64_t row) { return fmt::format("{:05}", row); }

// Some values take pages of their own.
void fill(const std::string& file) {
  RawFile lmdb(file);
  Writes writes;
  for (int i = 0; i < kRows; ++i) {
    writes.emplace_back(row_named(static_cast<std::uint64_t>(i)),
                        std::string(std::size_t{i % 100 == 0 ? 5000U : 10U}, 'v'));
  }
  lmdb.write(writes);
}

}  // namespace

TEST_CASE("two threads visit each row once, and count what one thread counts") {
  const RawDirectory directory;
  const std::string file = directory.file("store");
  fill(file);
  std::atomic<std::uint64_t> rows = 0;
  std::atomic<std::uint64_t> sum = 0;
  const RowCheck row = [&](std::string_view key, std::string_view stored) {
    ++rows;
    sum += std::stoull(std::string(key));
    return as_written(key, stored);
  };
  const auto in_two = check_file(file, row, {}, CheckThreads::two);
  REQUIRE(static_cast<bool>(in_two));
  CHECK(rows == kRows);
  CHECK(sum == std::uint64_t{kRows} * (kRows - 1) / 2);
  const auto in_one = check_file(file, as_written, {});
  REQUIRE(static_cast<bool>(in_one));
  CHECK(in_two->entries == in_one->entries);
  CHECK(in_two->pages_used == in_one->pages_used);
  CHECK(in_two->pages_free == in_one->pages_free);
}

TEST_CASE("of two damaged rows the first in key order is reported, also by two threads") {
  const RawDirectory directory;
  const std::string file = directory.file("store");
  fill(file);
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    const std::string one = row_named(random() % kRows);
    const std::string other = row_named(random() % kRows);
    const RowCheck row = [&](std::string_view key, std::string_view) -> Status {
      if (key != one && key != other) return Done{};
      return Refusal(Code::bad_data, "row {}", key);
    };
    const auto found = check_file(file, row, {}, CheckThreads::two);
    REQUIRE_FALSE(static_cast<bool>(found));
    CHECK(found.refusal().text().ends_with("row " + std::min(one, other)));
    CHECK(found.refusal().text() == check_file(file, row, {}).refusal().text());
  }
}

}  // namespace laurel
