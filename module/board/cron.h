// cron.h - moments that repeat, told in the five fields of cron, in UTC.
//
//   "0 0 * * 1"    each Monday at midnight
//    | | | | weekday   0 to 7, both ends Sunday, or sun to sat
//    | | | month       1 to 12, or jan to dec
//    | | day           1 to 31, of the month
//    | hour            0 to 23
//    minute            0 to 59
//
//   field    one part, or several with commas between. Fields stand apart by spaces and tabs.
//   part     a value; a range, low-high; or "*", all there are. "*" and a range take a step after a
//            slash: "*/15" is 0,15,30,45 and "1-10/3" is 1,4,7,10. A step after a single value is
//            refused, since crons do not agree on what it means: "5-59/10" says it.
//   names    of months and weekdays stand for their numbers wherever those may stand, in any case.
//            Sunday at the end of a range is 7, so that "sat-sun" is a weekend.
//   days     where both day and weekday are restricted, a day that either of them names is due;
//            else one that both name. A field that begins with "*" counts as not restricted.
//   due      the first microsecond of each minute that all fields name. Every minute there is
//            comes once: UTC knows no daylight saving, and Time no leap seconds.
//   threads  none: a Cron does not change.
//   cost     next and last step by days, and by months where the month is not named: less than
//            2,000 steps, since no 29 February on a weekday is further than 40 years away.
//   source   crontab(5) of Paul Vixie's cron. Calendar: proleptic Gregorian, as <chrono> has it.
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
  // Fails with `invalid`, naming the field, the part and what is allowed, where the text is not as
  // above, longer than kCronBytesMax bytes, or never due, as 30 February.
  static Result<Cron> parse(std::string_view text);

  // The first due moment after `after`; nothing when it lies beyond the range of times.
  std::optional<Time> next(Time after) const;
  // The last due moment at or before `at`; likewise.
  std::optional<Time> last(Time at) const;

  // As it was given.
  const std::string& text() const { return text_; }

 private:
  using Days = std::chrono::sys_days;
  using Minutes = std::chrono::minutes;  // since midnight

  Cron() = default;
  bool can_be_due() const;
  bool is_due_on(Days day) const;
  // The nearest due day, `day` itself included.
  std::optional<Days> day_from(Days day) const;
  std::optional<Days> day_up_to(Days day) const;
  // The nearest due minute of a due day, `minute` itself included.
  std::optional<Minutes> minute_from(Minutes minute) const;
  std::optional<Minutes> minute_up_to(Minutes minute) const;

  std::string text_;
  // Bit n stands for the value n. Sunday is 0.
  std::uint64_t minutes_ = 0;
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;
  std::uint64_t months_ = 0;
  std::uint64_t weekdays_ = 0;
  bool either_day_ = false;  // day or weekday; else both
};

}  // namespace laurel
