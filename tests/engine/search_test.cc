// The searches over parts that may be anywhere, against one naive order of all rows.
#include <algorithm>
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "engine/gather/list_search.h"
#include "engine/gather/position_search.h"

namespace laurel {

namespace {

using Sorted = std::vector<std::uint64_t>;
using Numbers = ListSearch<std::uint64_t, std::less<>>;

// Distinct numbers, dealt to parts: evenly, to few of them, or in runs.
struct RandomParts {
  explicit RandomParts(std::mt19937_64& random) {
    parts.resize(1 + random() % 20);
    const std::size_t rows = random() % 3 == 0 ? random() % 20 : random() % 5000;
    const std::uint64_t used = 1 + random() % parts.size();
    const std::uint64_t run = random() % 2 == 0 ? 1 : 1 + random() % 500;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t number = 2 * i + random() % 2;
      all.push_back(number);
      parts[run > 1 ? i / run % used : random() % used].push_back(number);
    }
  }

  std::vector<Sorted> parts;
  Sorted all;
};

struct List {
  Sorted rows;
  bool is_certain = false;
  int rounds = 0;
  std::size_t read = 0;
};

// Each answer is of new rows, as if the part was read again; some parts give more rows than asked.
List search(RandomParts& from, std::size_t n, Asking asking) {
  List list;
  Numbers search(from.parts.size(), n, asking, std::less<>());
  std::vector<Sorted> known(from.parts.size());
  while (search.next()) {
    ++list.rounds;
    for (const auto& [part, rows] : search.questions()) {
      const Sorted& own = from.parts[part];
      const std::size_t given = std::min(own.size(), rows + part % 3);
      REQUIRE(rows <= n);
      REQUIRE(given >= known[part].size());
      known[part].assign(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(given));
      search.accept(part, known[part], given < own.size());
      list.read += std::min(given, rows);
    }
  }
  for (const auto& [row, part] : search.list()) {
    REQUIRE(std::ranges::binary_search(from.parts[part], *row));
    list.rows.push_back(*row);
  }
  list.is_certain = search.is_certain();
  return list;
}

Sorted first_of(const Sorted& all, std::size_t n) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(n, all.size()))};
}

}  // namespace

TEST_CASE("a list of several parts is that of one order of all rows") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    RandomParts parts(random);
    const std::size_t n = random() % 2 == 0 ? random() % 50 : random() % (parts.all.size() + 50);
    CAPTURE(n);
    Asking asking = fair_share(n, parts.parts.size());
    asking.first = std::max<std::size_t>(asking.first, 1);
    const List list = search(parts, n, asking);
    CHECK(list.rows == first_of(parts.all, n));
    CHECK(list.is_certain);
    CHECK(list.rounds <= 14);  // each asks for twice as much
  }
}

TEST_CASE("a list of one round is certain unless a part with more rows ends before the list") {
  int certain = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    RandomParts parts(random);
    const std::size_t n = random() % 60;
    const std::size_t each = 1 + random() % 10;
    CAPTURE(n);
    Sorted read;
    Sorted ends;  // of parts with more rows
    for (const Sorted& part : parts.parts) {
      const Sorted own = first_of(part, std::min(each, n));
      read.insert(read.end(), own.begin(), own.end());
      if (!own.empty() && own.size() < part.size()) ends.push_back(own.back());
    }
    std::ranges::sort(read);
    const List list = search(parts, n, {.first = each, .again = 0});
    CHECK(list.rounds == 1);
    CHECK(list.rows == first_of(read, n));
    const bool is_short = read.size() < n && !ends.empty();
    const bool ends_before = std::ranges::any_of(
        ends, [&](std::uint64_t end) { return n > 0 && end < list.rows.back(); });
    CHECK(list.is_certain == (!is_short && !ends_before));
    if (list.is_certain) CHECK(list.rows == first_of(parts.all, n));
    certain += list.is_certain ? 1 : 0;
  }
  CHECK(certain > 30);
  CHECK(certain < 270);
}

TEST_CASE("a list of rows that are spread at random takes few rows more, in few rounds") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    RandomParts parts(random);
    parts.parts.assign(16, {});
    parts.all.clear();
    for (std::uint64_t number = 0; number < 4000; ++number) {
      parts.all.push_back(number);
      parts.parts[random() % 16].push_back(number);
    }
    const List list = search(parts, 1000, fair_share(1000, 16));
    CHECK(list.rows == first_of(parts.all, 1000));
    CHECK(list.rounds <= 4);
    CHECK(list.read <= 1000 + 1000);  // a part that is asked again is read from its start
  }
}

TEST_CASE("a part that shrinks between two rounds does not keep a list from ending") {
  Sorted few = {1, 2, 3, 4, 5, 6, 7, 8};
  Numbers search(1, 100, {.first = 2, .again = 2}, std::less<>());
  for (std::size_t rows = 2; search.next(); rows = 1) {
    search.accept(0, std::span(few).first(rows), rows > 1);
  }
  CHECK(search.list().size() == 1);
}

TEST_CASE("a position of several parts is split exactly, up to a few rows of each part") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const RandomParts parts(random);
    std::vector<std::size_t> counts;
    for (const Sorted& part : parts.parts) counts.push_back(part.size());
    const std::size_t position = random() % (parts.all.size() + 20);
    CAPTURE(position);
    PositionSearch<std::uint64_t, std::less<>> search(counts, position, std::less<>());
    int steps = 0;
    for (; search.next(); ++steps) {
      for (const auto& [part, at] : search.questions()) search.accept(part, parts.parts[part][at]);
      const std::uint64_t pivot = *search.pivot();
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const Sorted& part = parts.parts[i];
        counts[i] = static_cast<std::size_t>(std::ranges::lower_bound(part, pivot) - part.begin());
      }
      search.narrow(counts);
    }
    Sorted skipped;
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      const Sorted own = first_of(parts.parts[i], search.starts()[i]);
      skipped.insert(skipped.end(), own.begin(), own.end());
    }
    std::ranges::sort(skipped);
    const std::size_t whole = std::min(position, parts.all.size());
    CHECK(skipped == first_of(parts.all, whole - search.gap()));
    CHECK(search.gap() <= kGatherSkipMax * parts.parts.size());
    CHECK(steps <= 30);
  }
}

TEST_CASE("parts that change during a search for a position do not keep it from ending") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::size_t parts = 1 + random() % 8;
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < parts; ++i) counts.push_back(random() % 10'000);
    const std::size_t position = random() % 40'000;
    PositionSearch<std::uint64_t, std::less<>> search(counts, position, std::less<>());
    for (int steps = 0; steps < 64 && search.next(); ++steps) {
      for (const auto& [part, at] : search.questions()) {
        if (random() % 4 != 0) search.accept(part, random());
      }
      if (search.pivot() == nullptr) break;
      for (std::size_t& count : counts) count = random() % 12'000;
      search.narrow(counts);
    }
    CHECK(search.gap() <= position);
    CHECK(search.starts().size() == parts);
  }
}

}  // namespace laurel
