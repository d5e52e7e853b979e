// cron.h - repeating times in the five fields of cron, on one clock; for those of a zone see
// schedule.h.
//
//   "0 0 * * 1"    each Monday at midnight
//    | | | | weekday   0 to 7, 0 and 7 are Sunday, or sun to sat
//    | | | month       1 to 12, or jan to dec
//    | | day           1 to 31, of the month
//    | hour            0 to 23
//    minute            0 to 59
//
//   field    one part, or several separated by commas. Fields are separated by spaces and tabs.
//   part     a value; a range, low-high; or "*", all values. "*" and a range may have a step after
//            a slash: "*/15" is 0,15,30,45 and "1-10/3" is 1,4,7,10. A step after a single value is
//            refused, because crons disagree on its meaning: write "5-59/10".
//   names    of months and weekdays may replace their numbers anywhere, in any case. Sunday at the
//            end of a range is 7, so that "sat-sun" is a weekend.
//   days     if day and weekday are both restricted, a day that matches either is due; else a day
//            that matches both. A field that begins with "*" is not restricted.
//   due      the first microsecond of each minute that matches all fields. The clock is that of
//            UTC, or any other that shows every minute once. A Time is what it shows.
//   threads  none: a Cron is immutable.
//   cost     next and last step by days, and by months if the month does not match: fewer than
//            2,000 steps, since a given weekday on 29 February is at most 40 years away.
//   source   crontab(5) of Paul Vixie's cron. Calendar: proleptic Gregorian, as in <chrono>.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace laurel {

class Cron {
 public:
  // Fails with `invalid`, naming the field, the part and what is allowed, if the text is malformed,
  // longer than kCronBytesMax bytes, or never due, such as 30 February.
  static Result<Cron> parse(std::string_view text);

  // The first due time after `after`; absent if it is out of range.
  std::optional<Time> next(Time after) const;
  // The last due time at or before `at`; absent if it is out of range.
  std::optional<Time> last(Time at) const;

  // As given to parse().
  const std::string& text() const { return text_; }
  // Whether the hour is "*" or "*/n".
  bool any_hour() const { return any_hour_; }

 private:
  using Days = std::chrono::sys_days;
  using Minutes = std::chrono::minutes;  // since midnight

  Cron() = default;
  bool can_be_due() const;
  bool is_due_on(Days day) const;
  // The nearest due day, `day` included.
  std::optional<Days> day_from(Days day) const;
  std::optional<Days> day_up_to(Days day) const;
  // The nearest due minute of a due day, `minute` included.
  std::optional<Minutes> minute_from(Minutes minute) const;
  std::optional<Minutes> minute_up_to(Minutes minute) const;

  std::string text_;
  // Bit n is the value n. Sunday is 0.
  std::uint64_t minutes_ = 0;
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;
  std::uint64_t months_ = 0;
  std::uint64_t weekdays_ = 0;
  bool either_day_ = false;  // day or weekday must match; else both
  bool any_hour_ = false;
};

}  // namespace laurel
