#include "base/time.h"

#include <cmath>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("seconds are rounded to the microsecond, also before 1970") {
  CHECK(time_from_seconds(1.5) == 1'500'000);
  CHECK(time_from_seconds(-1.0000005) == -1'000'001);
  CHECK(time_from_seconds(0.0000004) == 0);
  CHECK(seconds_from_time(-1'688'000'000 * kSecond) == -1'688'000'000.0);
}

TEST_CASE("times beyond 2^33 seconds are refused") {
  CHECK(time_from_seconds(8589934592.0) == 8589934592 * kSecond);
  CHECK_FALSE(time_from_seconds(8589934593.0));
  CHECK_FALSE(time_from_seconds(-8589934593.0));
  CHECK_FALSE(time_from_seconds(std::nan("")));
  CHECK_FALSE(time_from_seconds(INFINITY));
}

TEST_CASE("the system clock returns a time in this century") {
  SystemClock clock;
  CHECK(clock.now() > 946'684'800 * kSecond);
  CHECK(clock.now() < 4'102'444'800 * kSecond);
}

}  // namespace laurel
