#include "board/spec/cron.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "board/spec/naive_cron.h"

namespace laurel {

namespace {

constexpr Time kTimeMax = static_cast<Time>(kTimeSecondsMax) * kSecond;

Cron cron(std::string_view text) {
  const Result<Cron> parsed = Cron::parse(text);
  if (!parsed) FAIL(parsed.refusal().text());
  return *parsed;
}

std::string why_not(std::string_view text) {
  const Result<Cron> parsed = Cron::parse(text);
  return parsed ? "taken" : std::string(parsed.refusal().text());
}

Time at(int year, int month, int day, int hour = 0, int minute = 0) {
  return midnight_of(year, month, day) + (hour * 60 + minute) * kMinute;
}

// "2024-02-29 00:00", or "never".
std::string shown(std::optional<Time> time) {
  if (!time) return "never";
  const Time of_day = (*time % kDay + kDay) % kDay;
  const Date date = date_of((*time - of_day) / kDay);
  const Time minute = of_day / kMinute;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}{}", date.year, date.month, date.day,
                     minute / 60, minute % 60, of_day % kMinute == 0 ? "" : " and some");
}

std::string next(std::string_view text, Time after) { return shown(cron(text).next(after)); }
std::string last(std::string_view text, Time moment) { return shown(cron(text).last(moment)); }

// Every due time in [begin, end), by next() alone.
std::vector<Time> forwards(const Cron& cron, Time begin, Time end) {
  std::vector<Time> due;
  for (auto time = cron.next(begin - 1); time && *time < end; time = cron.next(*time)) {
    due.push_back(*time);
  }
  return due;
}

// Every due time in [begin, end), by last() alone.
std::vector<Time> backwards(const Cron& cron, Time begin, Time end) {
  std::vector<Time> due;
  for (auto time = cron.last(end - 1); time && *time >= begin; time = cron.last(*time - 1)) {
    due.push_back(*time);
  }
  std::reverse(due.begin(), due.end());
  return due;
}

}  // namespace

TEST_CASE("a schedule on Mondays is due each Monday at midnight") {
  CHECK(next("0 0 * * 1", at(2024, 7, 3, 12)) == "2024-07-08 00:00");
  CHECK(last("0 0 * * 1", at(2024, 7, 3, 12)) == "2024-07-01 00:00");
}

TEST_CASE("next is strictly after, last is at or before") {
  const Time monday = at(2024, 7, 8);
  CHECK(next("0 0 * * 1", monday - 1) == "2024-07-08 00:00");
  CHECK(next("0 0 * * 1", monday) == "2024-07-15 00:00");
  CHECK(last("0 0 * * 1", monday) == "2024-07-08 00:00");
  CHECK(last("0 0 * * 1", monday - 1) == "2024-07-01 00:00");
}

TEST_CASE("minutes and hours carry over into the next day, month and year") {
  CHECK(next("* * * * *", at(2023, 12, 31, 23, 59)) == "2024-01-01 00:00");
  CHECK(next("30 6,18 * * *", at(2024, 5, 1, 6, 30)) == "2024-05-01 18:30");
  CHECK(next("30 6,18 * * *", at(2024, 5, 1, 18, 30)) == "2024-05-02 06:30");
  CHECK(last("30 6,18 * * *", at(2024, 5, 1, 6, 29)) == "2024-04-30 18:30");
  CHECK(next("0 0 1 1 *", at(2024, 1, 1)) == "2025-01-01 00:00");
}

TEST_CASE("steps, ranges and lists match their values") {
  CHECK(next("*/15 * * * *", at(2024, 5, 1, 6, 16)) == "2024-05-01 06:30");
  CHECK(next("1-10/3 * * * *", at(2024, 5, 1, 6, 7)) == "2024-05-01 06:10");
  CHECK(next("1-10/3 * * * *", at(2024, 5, 1, 6, 10)) == "2024-05-01 07:01");
  CHECK(next("0 9-17 * * *", at(2024, 5, 1, 17)) == "2024-05-02 09:00");
  CHECK(next("5,1-3,50-59/5 * * * *", at(2024, 5, 1, 6, 3)) == "2024-05-01 06:05");
  CHECK(last("5,1-3,50-59/5 * * * *", at(2024, 5, 1, 6, 59)) == "2024-05-01 06:55");
}

TEST_CASE("months and weekdays may be named, in any case") {
  CHECK(next("0 0 1 jan,JUL *", at(2024, 2, 1)) == "2024-07-01 00:00");
  CHECK(next("0 0 * * Mon-fri", at(2024, 7, 5)) == "2024-07-08 00:00");
  CHECK(next("0 0 * Feb-3 SAT", at(2024, 4, 1)) == "2025-02-01 00:00");
}

TEST_CASE("Sunday is 0 and 7, and may end a range") {
  for (const std::string_view sunday : {"0", "7", "sun", "7-7", "0-0", "*/7"}) {
    CAPTURE(sunday);
    CHECK(next(fmt::format("0 0 * * {}", sunday), at(2024, 7, 3)) == "2024-07-07 00:00");
  }
  for (const std::string_view weekend : {"sat-sun", "6-7", "6-0", "6,0"}) {
    CAPTURE(weekend);
    const Cron both = cron(fmt::format("0 0 * * {}", weekend));
    CHECK(shown(both.next(at(2024, 7, 5))) == "2024-07-06 00:00");
    CHECK(shown(both.next(at(2024, 7, 6))) == "2024-07-07 00:00");
    CHECK(shown(both.next(at(2024, 7, 7))) == "2024-07-13 00:00");
  }
  CHECK(next("0 0 * * sun-tue", at(2024, 7, 9)) == "2024-07-14 00:00");
}

TEST_CASE("if both day and weekday are restricted, a day that matches either is due") {
  const Cron friday_or_13th = cron("0 0 13 * 5");
  CHECK(shown(friday_or_13th.next(at(2024, 9, 6))) == "2024-09-13 00:00");
  CHECK(shown(friday_or_13th.next(at(2024, 9, 13))) == "2024-09-20 00:00");
  CHECK(shown(friday_or_13th.next(at(2024, 10, 11))) == "2024-10-13 00:00");
}

TEST_CASE("a field that begins with a star does not restrict, so day and weekday must both match") {
  CHECK(next("0 0 13 * *", at(2024, 9, 6)) == "2024-09-13 00:00");
  CHECK(next("0 0 */2 * 1", at(2024, 7, 1)) == "2024-07-15 00:00");  // odd days that are Mondays
  CHECK(next("0 0 1 * */2", at(2024, 7, 1)) == "2024-08-01 00:00");  // a Thursday, which is 4
  CHECK(next("0 0 1 * */2", at(2024, 8, 1)) == "2024-09-01 00:00");  // a Sunday
  CHECK(next("0 0 1 * */2", at(2024, 9, 1)) == "2024-10-01 00:00");  // a Tuesday
  CHECK(next("0 0 1 * */2", at(2024, 10, 1)) == "2024-12-01 00:00");
}

TEST_CASE("29 February is due in leap years, which 1900 and 2100 are not") {
  const Cron leap_day = cron("0 0 29 2 *");
  CHECK(shown(leap_day.next(at(2023, 3, 1))) == "2024-02-29 00:00");
  CHECK(shown(leap_day.next(at(1999, 1, 1))) == "2000-02-29 00:00");
  CHECK(shown(leap_day.next(at(2096, 2, 29))) == "2104-02-29 00:00");
  CHECK(shown(leap_day.last(at(2104, 2, 28))) == "2096-02-29 00:00");
  CHECK(shown(leap_day.next(at(1896, 2, 29))) == "1904-02-29 00:00");
  CHECK(shown(leap_day.last(at(1904, 2, 28))) == "1896-02-29 00:00");
}

TEST_CASE("a 29 February on a given weekday is at most 40 years away") {
  const Cron leap_sunday = cron("0 0 29 2 */7");
  CHECK(shown(leap_sunday.next(at(2004, 3, 1))) == "2032-02-29 00:00");
  CHECK(shown(leap_sunday.next(at(2088, 2, 29))) == "2128-02-29 00:00");
  CHECK(shown(leap_sunday.last(at(2128, 2, 28))) == "2088-02-29 00:00");
}

TEST_CASE("the 31st skips shorter months") {
  CHECK(next("0 0 31 * *", at(2024, 3, 31)) == "2024-05-31 00:00");
  CHECK(last("0 0 31 * *", at(2024, 7, 30)) == "2024-05-31 00:00");
}

TEST_CASE("dates before 1970 are handled") {
  CHECK(next("0 0 * * *", -1) == "1970-01-01 00:00");
  CHECK(last("0 0 * * *", -1) == "1969-12-31 00:00");
  CHECK(last("* * * * *", -1) == "1969-12-31 23:59");
  CHECK(next("0 12 1 7 *", at(1916, 6, 30)) == "1916-07-01 12:00");
  CHECK(last("*/10 * * * *", at(1916, 7, 1, 7, 29)) == "1916-07-01 07:20");
}

TEST_CASE("nothing is due outside the range of times") {
  const Cron each_minute = cron("* * * * *");
  CHECK(shown(each_minute.next(kTimeMax - kMinute)) == "2242-03-16 12:56");
  CHECK(shown(each_minute.next(kTimeMax)) == "never");
  CHECK(shown(each_minute.last(-kTimeMax + kMinute)) == "1697-10-17 11:04");
  CHECK(shown(each_minute.last(-kTimeMax)) == "never");
  CHECK(next("0 0 1 4 *", at(2241, 4, 1)) == "never");
  CHECK(last("0 0 1 10 *", at(1698, 9, 30)) == "never");
}

TEST_CASE("a time outside the range counts as the nearest end of the range") {
  const Cron each_minute = cron("* * * * *");
  CHECK(each_minute.next(INT64_MIN) == each_minute.next(-kTimeMax));
  CHECK(each_minute.last(INT64_MAX) == each_minute.last(kTimeMax));
  CHECK(shown(each_minute.next(INT64_MAX)) == "never");
  CHECK(shown(each_minute.last(INT64_MIN)) == "never");
}

TEST_CASE("the text is kept unchanged, blanks included") {
  CHECK(cron(" 0\t0  * * Mon ").text() == " 0\t0  * * Mon ");
  CHECK(next(" 0\t0  * * Mon ", at(2024, 7, 3)) == "2024-07-08 00:00");
}

TEST_CASE("a refusal names the field, the part and what is allowed") {
  CHECK(why_not("61 * * * *") == "invalid: minute '61': it takes 0 to 59");
  CHECK(why_not("* 24 * * *") == "invalid: hour '24': it takes 0 to 23");
  CHECK(why_not("* * 0 * *") == "invalid: day '0': it takes 1 to 31");
  CHECK(why_not("* * * 13 *") == "invalid: month '13': it takes 1 to 12, or jan to dec");
  CHECK(why_not("* * * * 1,8") == "invalid: weekday '8': it takes 0 to 7, or sun to sat");
  CHECK(why_not("* * * january *") == "invalid: month 'january': it takes 1 to 12, or jan to dec");
  CHECK(why_not("mon * * * *") == "invalid: minute 'mon': it takes 0 to 59");
  CHECK(why_not("* 22-2 * * *") ==
        "invalid: hour '22-2': a range runs from the lower to the higher");
  CHECK(why_not("*/0 * * * *") == "invalid: minute '*/0': a step is 1 to 59");
  CHECK(why_not("* */24 * * *") == "invalid: hour '*/24': a step is 1 to 23");
  CHECK(why_not("5/10 * * * *") == "invalid: minute '5/10': a step follows \"*\" or a range");
  CHECK(why_not("\x1b * * * *") == "invalid: minute '\\x1b': it takes 0 to 59");
}

TEST_CASE("an invalid value is refused in every field") {
  for (const std::string_view part :
       {",",           "1,",   ",1",      "-1", "+1",
        "1-",          "1--2", "1-2-3",   "**", "*-5",
        "1.5",         "0x1",  "?",       "L",  "*/",
        "*/-1",        "1-5/", "1-5/2/2", "/2", "99999999999999999999",
        "*/4294967297"}) {
    CAPTURE(part);
    CHECK(why_not(fmt::format("{} * * * *", part)).starts_with("invalid: minute '"));
  }
}

TEST_CASE("a text without exactly five fields is refused") {
  for (const std::string_view text : {"", " ", "* * * *", "* * * * * *", "@daily"}) {
    CAPTURE(text);
    CHECK(why_not(text) == fmt::format("invalid: \"{}\": it takes five fields: minute, hour, day, "
                                       "month and weekday",
                                       text));
  }
}

TEST_CASE("a text longer than its limit is refused") {
  std::string text = "* * * * 1";
  while (text.size() + 2 <= kCronBytesMax) text += ",1";
  text.resize(kCronBytesMax, ' ');
  CHECK(why_not(text) == "taken");
  CHECK(why_not(text + " ") == "invalid: the text has 129 bytes; at most 128 are allowed");
}

TEST_CASE("a schedule that is never due is refused") {
  CHECK(why_not("0 0 30 2 *") == "invalid: day '30' of month '2' never comes");
  CHECK(why_not("0 0 31 2,4,6,9,nov *") == "invalid: day '31' of month '2,4,6,9,nov' never comes");
  CHECK(why_not("0 0 30 2 */2") == "invalid: day '30' of month '2' never comes");
  CHECK(why_not("0 0 29 2 *") == "taken");
  CHECK(why_not("0 0 30 2 1") == "taken");  // due on Mondays
}

TEST_CASE("a cron agrees with a check of every minute of some months") {
  constexpr std::int64_t kDays = 100;
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    std::mt19937_64 random(seed);
    const NaiveCron naive(random);
    const Result<Cron> parsed = Cron::parse(naive.text());
    if (!parsed) continue;  // never due
    CAPTURE(seed);
    CAPTURE(naive.text());
    const std::int64_t first_day = static_cast<std::int64_t>(random() % 180'000) - 90'000;
    std::vector<Time> due;
    Date date = date_of(first_day);
    for (std::int64_t day = first_day; day < first_day + kDays; ++day, step(date)) {
      if (!naive.due_on(date)) continue;
      for (int minute = 0; minute < 24 * 60; ++minute) {
        if (naive.due_at(minute / 60, minute % 60)) due.push_back(day * kDay + minute * kMinute);
      }
    }
    found += due.size();
    const Time begin = first_day * kDay;
    const Time end = begin + kDays * kDay;
    REQUIRE(forwards(*parsed, begin, end) == due);
    REQUIRE(backwards(*parsed, begin, end) == due);
  }
  CHECK(found > 100'000);
}

TEST_CASE("a cron agrees with a check of every day of all times") {
  std::vector<Date> dates;
  constexpr std::int64_t kFirstDay = -kTimeMax / kDay;
  Date date = date_of(kFirstDay);
  for (std::int64_t day = kFirstDay; day <= kTimeMax / kDay; ++day, step(date)) {
    dates.push_back(date);
  }
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    const NaiveCron naive(random);
    const std::string text =
        "0 0" + naive.text().substr(naive.text().find(' ', naive.text().find(' ') + 1));
    const Result<Cron> parsed = Cron::parse(text);
    std::vector<Time> due;
    for (std::size_t i = 0; i < dates.size(); ++i) {
      if (naive.due_on(dates[i])) due.push_back((kFirstDay + static_cast<Time>(i)) * kDay);
    }
    CAPTURE(seed);
    CAPTURE(text);
    REQUIRE(due.empty() == !parsed);
    if (!parsed) continue;
    REQUIRE(forwards(*parsed, -kTimeMax, kTimeMax) == due);
    REQUIRE(backwards(*parsed, -kTimeMax, kTimeMax) == due);
  }
}

}  // namespace laurel
