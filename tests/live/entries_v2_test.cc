// What entries have since version 2 of the protocol: columns, moments, fractional ranks, and the
// rank at the last mark.
#include <algorithm>
#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/bytes.h"
#include "live/snapshots.h"
#include "live/wire/delta.h"

namespace laurel {
namespace {

using test::cut;
using test::message;

// The windows of a random board with what version 2 has.
class FullBoard {
 public:
  explicit FullBoard(std::uint64_t seed) : board_(seed), random_(seed) {
    half_ranks_ = below(2) == 0;
    if (below(2) == 0) columns_ = *ScoreColumns::parse("laps, seconds asc 3 -10 1000");
  }

  std::size_t below(std::size_t end) { return random_() % end; }

  Window next() {
    Window window = board_.next(20);
    window.half_ranks = half_ranks_;
    window.columns = columns_;
    for (WindowEntry& entry : window.entries) {
      if (columns_) {
        const ColumnValues values{{std::abs(entry.score), 0.125 + entry.score}, 2};
        entry.score = *columns_->number(values);
      }
      Time& moment = moments_[entry.player];
      if (moment == 0 || below(8) == 0) {
        moment = static_cast<Time>(below(1'000'000'000)) - 500'000'000;
      }
      if (below(50) != 0) entry.at = moment;
      if (half_ranks_ && below(3) == 0) {
        entry.rank = Rank::mean(entry.rank.whole(), entry.rank.whole() + 1);
      }
    }
    if (below(10) == 0) {
      marked_.clear();
      for (const WindowEntry& entry : window.entries) marked_[entry.player] = entry.rank;
    }
    for (WindowEntry& entry : window.entries) {
      const auto was = marked_.find(entry.player);
      if (was == marked_.end()) continue;
      entry.rank_change = static_cast<double>(was->second) - static_cast<double>(entry.rank);
    }
    return window;
  }

 private:
  test::RandomBoard board_;
  std::mt19937_64 random_;
  bool half_ranks_ = false;
  ScoreColumns::Ptr columns_;
  std::map<std::string, Time> moments_;
  std::map<std::string, Rank> marked_;
};

TEST_CASE("version 2: a delta leads from any window of a board to any later one, for every cut") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    FullBoard board(seed);
    std::vector<Window> windows;
    for (int i = 0; i < 12; ++i) windows.push_back(board.next());
    const EntryFormat format = *format_of(windows[0], 2);
    for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
      const Window& base = windows[board.below(i + 1)];
      const Window& target = windows[i + 1];
      const std::size_t n = 1 + board.below(25);
      const std::string delta = delta_body(base, target, n, format),
                        whole = *whole_body(target, n, format);
      const Window held = cut(base, n), expected = cut(target, n);
      const auto by_delta = apply(message(target, n, target.version - base.version, delta, format),
                                  base.epoch, &held, format);
      REQUIRE(by_delta);
      CHECK(by_delta->entries == expected.entries);
      CHECK(by_delta->half_ranks == target.half_ranks);
      CHECK(by_delta->columns == target.columns);
      const auto by_whole =
          apply(message(target, n, 0, whole, format), base.epoch, nullptr, format);
      REQUIRE(by_whole);
      CHECK(by_whole->entries == expected.entries);
    }
  }
}

TEST_CASE("version 2: a player who climbs past many costs no more with marks than without") {
  Window base = test::ladder(100, 7, 1000);
  for (std::size_t i = 0; i < 100; ++i) {
    base.entries[i].at = static_cast<Time>(i);
    base.entries[i].rank_change = 3;  // all were three ranks further down
  }
  Window target = base;
  target.version = 1001;
  WindowEntry climbing = target.entries[90];
  climbing.score = 2e6;
  climbing.at = 1000;
  target.entries.erase(target.entries.begin() + 90);
  target.entries.insert(target.entries.begin(), climbing);
  for (std::size_t i = 0; i < 100; ++i) {
    WindowEntry& entry = target.entries[i];
    const double was = static_cast<double>(entry.rank) + *entry.rank_change;
    entry.rank = i + 1;
    entry.rank_change = was - static_cast<double>(i + 1);
  }
  const EntryFormat format = *format_of(base, 2);
  CHECK(delta_body(base, target, 100, format).size() <= 40);
}

TEST_CASE("version 2: only boards with columns or fractional ranks are not shown in version 1") {
  Window window = test::ladder(3);
  CHECK(format_of(window, 1));
  window.half_ranks = true;
  CHECK_FALSE(format_of(window, 1));
  CHECK(format_of(window, 2)->half_ranks);
  window.half_ranks = false;
  window.columns = *ScoreColumns::parse("laps, seconds asc");
  CHECK_FALSE(format_of(window, 1));
  CHECK(format_of(window, 2)->columns == window.columns);
}

TEST_CASE("version 1 has no moments and no rank changes, and refuses their bits") {
  Window window = test::ladder(1);
  const std::string plain = *whole_body(window, 1);
  window.entries[0].at = 5;
  window.entries[0].rank_change = 1;
  CHECK(*whole_body(window, 1) == plain);
  const EntryFormat second = *format_of(window, 2);
  const std::string body = *whole_body(window, 1, second);
  CHECK(apply(message(window, 1, 0, body, second), 7, nullptr, second));
  State first = message(window, 1, 0, body, {});
  CHECK_FALSE(apply(first, 7, nullptr));
}

TEST_CASE("version 2: values that are no score of the columns are refused") {
  Window window = test::ladder(1);
  window.columns = *ScoreColumns::parse("laps, seconds asc 1 0 100");
  window.entries[0].score = *window.columns->number({{3, 50.5}, 2});
  const EntryFormat format = *format_of(window, 2);
  const std::string body = *whole_body(window, 1, format);
  const auto body_with = [&](double seconds) {
    std::string changed = body, bytes;
    ByteWriter(bytes, 8).f64(seconds);
    const std::size_t at = body.find(window.entries[0].player) + 12 + 8;
    return changed.replace(at, 8, bytes);
  };
  // digested: what the digest is of
  const auto taken_as = [&](double seconds, double digested) {
    const std::string changed = body_with(seconds);
    State state = message(window, 1, 0, changed, format);
    state.digest = digest(state, 7, body_with(digested));
    return apply(state, 7, nullptr, format).has_value();
  };
  const auto taken = [&](double seconds) { return taken_as(seconds, seconds); };
  CHECK(taken(50.5));
  CHECK(taken(0));
  CHECK_FALSE(taken(50.55));  // more decimals than the column has
  CHECK_FALSE(taken_as(50.54, 50.5));
  CHECK_FALSE(taken(100.1));
  CHECK_FALSE(taken(-0.5));
  CHECK_FALSE(taken(-0.0));
}

}  // namespace
}  // namespace laurel
