// The text that Prometheus reads.
#include "metrics/metric_set.h"

#include <array>
#include <ctime>

#include <doctest/doctest.h>

#include "base/process/thread_time.h"
#include "metrics/cycle_histogram.h"

using laurel::Family;
using laurel::Histogram;
using laurel::MetricSet;

TEST_CASE("a set without values has no text") { CHECK(MetricSet().text().empty()); }

TEST_CASE("each family has its help and its type once, above its values") {
  MetricSet set;
  set.add(Family::board_season, {"b"}, 3);
  set.add(Family::up, 1);
  set.add(Family::board_season, {"a"}, 2);
  CHECK(set.text() ==
        "# HELP laurel_up 1 while the boards are open, 0 when they were closed.\n"
        "# TYPE laurel_up gauge\n"
        "laurel_up 1\n"
        "# HELP laurel_board_season The number of a board's running season.\n"
        "# TYPE laurel_board_season gauge\n"
        "laurel_board_season{board=\"a\"} 2\n"
        "laurel_board_season{board=\"b\"} 3\n");
}

TEST_CASE("values with the same labels are added up") {
  MetricSet set;
  set.add(Family::live_closed, {"slow"}, 2);
  set.add(Family::live_closed, {"late"}, 1);
  set.add(Family::live_closed, {"slow"}, 5);
  CHECK(set.text().find("laurel_live_closed_total{reason=\"slow\"} 7\n") != std::string::npos);
}

TEST_CASE("quotes, backslashes and line ends in a label are escaped") {
  MetricSet set;
  set.add(Family::board_season, {"a\"b\\c\nd\te"}, 1);
  CHECK(set.text().ends_with("{board=\"a\\\"b\\\\c\\nd\te\"} 1\n"));
}

TEST_CASE("bytes that are not UTF-8 are written as two backslashes, an x and two digits") {
  MetricSet set;
  set.add(Family::board_season, {"\xff gr\xc3\xbc\xc3\x9f \xe2\x82"}, 1);
  CHECK(set.text().ends_with("{board=\"\\\\xff gr\xc3\xbc\xc3\x9f \\\\xe2\\\\x82\"} 1\n"));
}

TEST_CASE("a histogram counts what is up to each bound, and all") {
  constexpr std::array kBounds = {0.001, 0.01};
  Histogram times(kBounds);
  for (const std::uint64_t ns : {1'000'000U, 1'000'001U, 10'000'000U, 3'000'000'000U}) {
    times.observe(ns);
  }
  MetricSet set;
  set.add(Family::tick_seconds, {}, times);
  CHECK(set.text() ==
        "# HELP laurel_tick_seconds How long ticks took.\n"
        "# TYPE laurel_tick_seconds histogram\n"
        "laurel_tick_seconds_bucket{le=\"0.001\"} 1\n"
        "laurel_tick_seconds_bucket{le=\"0.01\"} 3\n"
        "laurel_tick_seconds_bucket{le=\"+Inf\"} 4\n"
        "laurel_tick_seconds_sum 3.012000001\n"
        "laurel_tick_seconds_count 4\n");
}

TEST_CASE("durations in any order are counted below the first bound that they do not exceed") {
  constexpr std::array kBounds = {1.0, 2.0, 5.0};
  Histogram times(kBounds, 1000);
  const std::array<std::uint64_t, 8> durations = {0, 1000, 1001, 2000, 2001, 5000, 5001, 1 << 30};
  for (const std::uint64_t one : durations) {
    for (const std::uint64_t other : durations) {
      times.observe(one);
      times.observe(other);
    }
  }
  for (std::size_t i = 0; i <= kBounds.size(); ++i) CHECK(times.counts().counts[i] == 32);
}

TEST_CASE("a histogram with a label has it in front of the bound") {
  constexpr std::array kBounds = {1.0};
  const Histogram times(kBounds, 1000);
  MetricSet set;
  set.add(Family::rule_seconds, {"elo"}, times);
  CHECK(set.text().find("laurel_rule_seconds_bucket{rule=\"elo\",le=\"1\"} 0\n") !=
        std::string::npos);
  CHECK(set.text().find("laurel_rule_seconds_sum{rule=\"elo\"} 0\n") != std::string::npos);
}

TEST_CASE("of what has ended the counters are kept, and the gauges are not") {
  MetricSet ended;
  ended.add(Family::live_clients, 3);
  ended.add(Family::live_sent_messages, 10);
  MetricSet set;
  set.add(Family::live_sent_messages, 5);
  set.add_counters(ended);
  CHECK(set.text().ends_with("laurel_live_sent_messages_total 15\n"));
  CHECK(set.text().find("clients ") == std::string::npos);
}

TEST_CASE("a counter that ended twice is kept once, with its sum") {
  MetricSet kept;
  for (int i = 1; i <= 3; ++i) {
    MetricSet ended;
    ended.add(Family::live_closed, {"slow"}, i);
    ended.add(Family::live_closed, {"late"}, 10 * i);
    kept.add_counters(ended);
  }
  CHECK(
      kept.text().ends_with("laurel_live_closed_total{reason=\"late\"} 60\n"
                            "laurel_live_closed_total{reason=\"slow\"} 6\n"));
}

TEST_CASE("a set keeps what a histogram had counted when it was added") {
  constexpr std::array kBounds = {1.0};
  MetricSet set;
  {
    Histogram times(kBounds);
    times.observe(1);
    set.add(Family::tick_seconds, {}, times);
    times.observe(1);
  }
  CHECK(set.text().ends_with("laurel_tick_seconds_count 1\n"));
}

TEST_CASE("the cycle counter measures seconds, and one that goes back measures none") {
  constexpr std::array kBounds = {0.001, 10.0};
  laurel::CycleHistogram times(kBounds);
  CHECK(times.read() == nullptr);
  const std::uint64_t began = laurel::ticks_now();
  const std::int64_t began_ns = laurel::nanoseconds_of(CLOCK_MONOTONIC);
  while (laurel::nanoseconds_of(CLOCK_MONOTONIC) < began_ns + 5'000'000) {
  }
  const std::uint64_t ended = laurel::ticks_now();
  const auto passed = static_cast<double>(laurel::nanoseconds_of(CLOCK_MONOTONIC) - began_ns) / 1e9;
  times.observe(began, ended);
  REQUIRE(times.read() != nullptr);
  CHECK(times.read()->counts().sum > 0.0045);
  CHECK(times.read()->counts().sum < 1.1 * passed);
  CHECK(times.read()->counts().counts[1] == 1);
  times.observe(ended, began);
  CHECK(times.read()->counts().counts[0] == 1);
}
