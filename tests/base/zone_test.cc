// Zones: offsets, local times and local days. tests/board/spec/schedule_test.cc compares offsets
// with those of Python.
#include "base/zone/zone.h"

#include <string>

#include <doctest/doctest.h>

namespace laurel {

namespace {

Zone zone(std::string_view name) {
  const Result<Zone> found = Zone::find(name);
  if (!found) FAIL(found.refusal().text());
  return *found;
}

std::string why_not(std::string_view name) {
  const Result<Zone> found = Zone::find(name);
  return found ? "found" : std::string(found.refusal().message());
}

// 2024-03-31, when Berlin's clocks go from 02:00 to 03:00; and 2024-10-27, when they go back at
// 03:00.
constexpr Time kSpring = 19813 * kDay;
constexpr Time kAutumn = 20023 * kDay;

}  // namespace

TEST_CASE("UTC is the default, and has one offset at all times") {
  CHECK(Zone() == zone("UTC"));
  CHECK(zone("UTC").is_utc());
  CHECK(zone("UTC").name() == "UTC");
  CHECK(zone("UTC").periods().size() == 1);
  for (const Time at : {INT64_MIN / 16, Time{-1}, Time{0}, kSpring, INT64_MAX / 16}) {
    CHECK(Zone().offset(at) == 0);
    CHECK(Zone().reached(at) == at);
    CHECK(Zone().first_at(at) == at);
  }
  CHECK(Zone().day(-1) == -1);
  CHECK(Zone().day(kDay) == 1);
}

TEST_CASE("a zone is the same each time it is named, and is not another of the same offset") {
  CHECK(zone("Europe/Berlin") == zone("Europe/Berlin"));
  CHECK_FALSE(zone("Europe/Berlin") == zone("Europe/Paris"));
  CHECK_FALSE(zone("Etc/UTC") == Zone());
  CHECK(zone("Etc/UTC").offset(kSpring) == 0);
}

TEST_CASE("offsets change at the moment of the law") {
  const Zone berlin = zone("Europe/Berlin");
  CHECK(berlin.offset(kSpring + kHour - 1) == kHour);
  CHECK(berlin.offset(kSpring + kHour) == 2 * kHour);
  CHECK(berlin.offset(kAutumn + kHour - 1) == 2 * kHour);
  CHECK(berlin.offset(kAutumn + kHour) == kHour);
  CHECK(zone("Asia/Kathmandu").offset(0) == 5 * kHour + kHour / 2);
  CHECK(zone("Asia/Kathmandu").offset(kSpring) == 5 * kHour + kHour * 3 / 4);
}

TEST_CASE("a local time that is left out is reached at the first moment after the gap") {
  const Zone berlin = zone("Europe/Berlin");
  CHECK(berlin.reached(kSpring + kHour - 1) == kSpring + 2 * kHour - 1);
  CHECK(berlin.reached(kSpring + kHour) == kSpring + 3 * kHour);
  CHECK(berlin.first_at(kSpring + 2 * kHour) == kSpring + kHour);
  CHECK(berlin.first_at(kSpring + 2 * kHour + kHour / 2) == kSpring + kHour);
  CHECK(berlin.first_at(kSpring + 3 * kHour) == kSpring + kHour);
  CHECK(berlin.first_at(kSpring + 3 * kHour + 1) == kSpring + kHour + 1);
}

TEST_CASE("a local time that comes twice is reached the first time") {
  const Zone berlin = zone("Europe/Berlin");
  CHECK(berlin.first_at(kAutumn + 2 * kHour) == kAutumn);
  CHECK(berlin.first_at(kAutumn + 3 * kHour - 1) == kAutumn + kHour - 1);
  CHECK(berlin.first_at(kAutumn + 3 * kHour) == kAutumn + 2 * kHour);
  CHECK(berlin.reached(kAutumn + kHour) == kAutumn + 3 * kHour - 1);
  CHECK(berlin.reached(kAutumn + 2 * kHour) == kAutumn + 3 * kHour);
}

TEST_CASE("first_at is the inverse of reached, around every change of every kind of zone") {
  for (const std::string_view name :
       {"Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns",
        "Africa/Casablanca", "Africa/Monrovia", "Pacific/Kwajalein"}) {
    CAPTURE(name);
    const Zone place = zone(name);
    for (const ZonePeriod& period : place.periods()) {
      if (period.begin == -Zone::kAlways) continue;
      for (Time at = period.begin - 26 * kHour; at <= period.begin + 26 * kHour; at += kHour / 4) {
        CAPTURE(at);
        const Time local = place.reached(at);
        REQUIRE(place.first_at(local) <= at);
        REQUIRE(place.first_at(local + 1) > at);
        REQUIRE(place.reached(place.first_at(local)) >= local);
        REQUIRE(place.reached(at) >= place.reached(at - 1));
      }
    }
  }
}

TEST_CASE("a local day never comes back, also where clocks go back over midnight") {
  // 1999-10-31, 00:01 is 23:01 of the day before.
  const Zone st_johns = zone("America/St_Johns");
  const Time midnight = st_johns.first_at(10895 * kDay);
  CHECK(st_johns.offset(midnight) != st_johns.offset(midnight + kHour / 60));
  CHECK(st_johns.day(midnight - 1) == 10894);
  for (int minute = 0; minute < 24 * 60; ++minute) {
    REQUIRE(st_johns.day(midnight + minute * kHour / 60) == 10895);
  }
}

TEST_CASE("a date that the zone left out is no day of it") {
  const Zone apia = zone("Pacific/Apia");
  constexpr std::int64_t kLeftOut = 15338;  // 2011-12-30
  const Time after = apia.first_at(kLeftOut * kDay);
  CHECK(after == apia.first_at((kLeftOut + 1) * kDay));
  CHECK(apia.day(after - 1) == kLeftOut - 1);
  CHECK(apia.day(after) == kLeftOut + 1);
}

TEST_CASE("times beyond all times have a local day") {
  CHECK(zone("Europe/Berlin").day(INT64_MIN) < zone("Europe/Berlin").day(-kDay));
  CHECK(zone("Europe/Berlin").day(INT64_MAX) > zone("Europe/Berlin").day(kDay));
}

TEST_CASE("an unknown zone is refused, and the nearest one is named") {
  const auto meant = [](std::string_view name) {
    const std::string why = why_not(name);
    const std::size_t begin = why.rfind("mean \"");
    return begin == std::string::npos ? why : why.substr(begin + 6, why.size() - begin - 8);
  };
  CHECK(why_not("Europe/Berlim") ==
        "the system's zone data has no zone of that name; did you mean \"Europe/Berlin\"?");
  CHECK(meant("europe/berlin") == "Europe/Berlin");
  CHECK(meant("Berlin") == "Europe/Berlin");
  CHECK(meant("new york") == "America/New_York");
  CHECK(meant("utc") == "UTC");
  CHECK(meant("Amerika/New_York") == "America/New_York");
  CHECK(meant("Australia/Lord_How") == "Australia/Lord_Howe");
  CHECK(meant("Moon/Sea_of_Tranquility").find('/') != std::string::npos);
}

TEST_CASE("files of the zone data that are no zones are none") {
  for (const std::string_view name :
       {"", "localtime", "posixrules", "zone.tab", "zone1970.tab", "tzdata.zi", "leapseconds",
        "posix/Europe/Berlin", "right/UTC", "Europe", "../zoneinfo/Europe/Berlin", "Europe/Berlin/",
        "/usr/share/zoneinfo/Europe/Berlin", "Factory"}) {
    CAPTURE(name);
    CHECK_FALSE(Zone::find(name));
  }
  CHECK_FALSE(Zone::find(std::string_view("Europe/Berlin\0", 14)));
  CHECK_FALSE(Zone::find(std::string(100'000, 'E')));
}

}  // namespace laurel
