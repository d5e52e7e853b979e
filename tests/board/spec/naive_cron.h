// naive_cron.h - the oracle for cron: a calendar that counts days from 1970, and a random schedule
// whose fields are lists of values.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/time.h"

namespace laurel {

struct Date {
  int year = 1970;
  int month = 1;
  int day = 1;
  int weekday = 4;  // 1970-01-01 was a Thursday
};

inline int days_of(int year, int month) {
  constexpr std::array<int, 13> kDays = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month)];
}

inline void step(Date& date) {
  date.weekday = (date.weekday + 1) % 7;
  if (++date.day <= days_of(date.year, date.month)) return;
  date.day = 1;
  if (++date.month <= 12) return;
  date.month = 1;
  ++date.year;
}

inline void step_back(Date& date) {
  date.weekday = (date.weekday + 6) % 7;
  if (--date.day >= 1) return;
  if (--date.month < 1) {
    date.month = 12;
    --date.year;
  }
  date.day = days_of(date.year, date.month);
}

// Days are counted from 1970-01-01.
inline Date date_of(std::int64_t day) {
  Date date;
  for (; day > 0; --day) step(date);
  for (; day < 0; ++day) step_back(date);
  return date;
}

inline Time midnight_of(int year, int month, int day) {
  Date date;
  std::int64_t number = 0;
  for (; date.year < year; ++number) step(date);
  for (; date.year > year || date.month != 1 || date.day != 1; --number) step_back(date);
  for (; date.month != month || date.day != day; ++number) step(date);
  return number * kDay;
}

class NaiveCron {
 public:
  explicit NaiveCron(std::mt19937_64& random)
      : minute_(random, 0, 59),
        hour_(random, 0, 23),
        day_(random, 1, 31),
        month_(random, 1, 12),
        weekday_(random, 0, 7) {}

  std::string text() const {
    return fmt::format("{} {} {} {} {}", minute_.text, hour_.text, day_.text, month_.text,
                       weekday_.text);
  }
  bool due_on(const Date& date) const {
    const bool day = day_.has(date.day);
    const bool weekday = weekday_.has(date.weekday) || (date.weekday == 0 && weekday_.has(7));
    const bool restricts_both = day_.text[0] != '*' && weekday_.text[0] != '*';
    return month_.has(date.month) && (restricts_both ? day || weekday : day && weekday);
  }
  bool due_at(int hour, int minute) const { return hour_.has(hour) && minute_.has(minute); }

 private:
  // "*", with or without a step, or one to three values and ranges.
  struct Field {
    Field(std::mt19937_64& random, int first, int last) {
      const auto between = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
      };
      const bool is_star = between(0, 1) == 0;
      const int parts = is_star ? 1 : between(1, 3);
      for (int i = 0; i < parts; ++i) {
        const int low = is_star ? first : between(first, last);
        const int high = is_star ? last : between(low, last);
        const bool is_range = high > low;
        const int by = is_range && between(0, 1) == 0 ? between(1, last) : 1;
        if (i > 0) text += ",";
        text += is_star ? "*" : fmt::format("{}", low);
        if (is_range && !is_star) text += fmt::format("-{}", high);
        if (by > 1) text += fmt::format("/{}", by);
        for (int value = low; value <= high; value += by) values.push_back(value);
      }
    }
    bool has(int value) const {
      return std::find(values.begin(), values.end(), value) != values.end();
    }

    std::string text;
    std::vector<int> values;
  };

  Field minute_, hour_, day_, month_, weekday_;
};

}  // namespace laurel
