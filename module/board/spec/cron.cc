#include "board/spec/cron.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <span>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::sys_time;
using std::chrono::weekday;
using std::chrono::year_month_day;

constexpr Time kTimeMax = static_cast<Time>(kTimeSecondsMax) * kSecond;
constexpr minutes kFirstMinute{0};
constexpr minutes kLastMinute = days(1) - minutes(1);

sys_time<microseconds> moment(Time time) {
  return sys_time<microseconds>(microseconds(std::clamp(time, -kTimeMax, kTimeMax)));
}

std::optional<Time> within_times(sys_time<minutes> due) {
  const Time time = microseconds(due.time_since_epoch()).count();
  if (time < -kTimeMax || time > kTimeMax) return std::nullopt;
  return time;
}

// ---- sets of values: bit n is the value n

using Set = std::uint64_t;

bool contains(Set set, unsigned value) { return (set >> value & 1U) != 0; }

std::optional<unsigned> lowest_from(Set set, unsigned value) {
  const Set rest = value < 64 ? set >> value << value : 0;
  if (rest == 0) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(rest));
}

std::optional<unsigned> highest_below(Set set, unsigned value) {
  const Set rest = value < 64 ? set & ((Set{1} << value) - 1) : set;
  if (rest == 0) return std::nullopt;
  return static_cast<unsigned>(std::bit_width(rest)) - 1;
}

// ---- parsing

constexpr std::array<std::string_view, 12> kMonthNames = {"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdayNames = {"sun", "mon", "tue", "wed",
                                                           "thu", "fri", "sat"};
constexpr unsigned kSundayAfterSaturday = 7;

struct Field {
  std::string_view name;
  unsigned first;
  unsigned last;
  std::span<const std::string_view> words = {};  // names of first, first + 1, ...
};

constexpr std::array<Field, 5> kCronFields = {
    {{"minute", 0, 59},
     {"hour", 0, 23},
     {"day", 1, 31},
     {"month", 1, 12, kMonthNames},
     {"weekday", 0, kSundayAfterSaturday, kWeekdayNames}}};

Refusal refused(const Field& field, std::string_view part, std::string_view why) {
  return {Code::invalid, "{} '{}': {}", field.name, escaped(part, 32), why};
}

std::string allowed(const Field& field) {
  std::string text = fmt::format("it takes {} to {}", field.first, field.last);
  if (!field.words.empty()) {
    text += fmt::format(", or {} to {}", field.words.front(), field.words.back());
  }
  return text;
}

bool equals_in_any_case(std::string_view text, std::string_view lower) {
  const auto same = [](char c, char l) { return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == l; };
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), same);
}

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

std::optional<unsigned> parse_value(const Field& field, std::string_view text) {
  for (std::size_t i = 0; i < field.words.size(); ++i) {
    if (equals_in_any_case(text, field.words[i])) return field.first + static_cast<unsigned>(i);
  }
  const std::optional<unsigned> number = parse_number(text);
  if (!number || *number < field.first || *number > field.last) return std::nullopt;
  return number;
}

struct Range {
  unsigned low = 0;
  unsigned high = 0;
};

// Parses `text`, which is `part` without its step.
Result<Range> parse_range(const Field& field, std::string_view part, std::string_view text) {
  if (text == "*") return Range{field.first, field.last};
  const std::size_t dash = text.find('-');
  const std::optional<unsigned> low = parse_value(field, text.substr(0, dash));
  const std::optional<unsigned> high =
      dash == std::string_view::npos ? low : parse_value(field, text.substr(dash + 1));
  if (!low || !high) return refused(field, part, allowed(field));
  Range range{*low, *high};
  const bool is_weekday = field.last == kSundayAfterSaturday;
  if (is_weekday && range.high == 0 && range.low > 0) range.high = kSundayAfterSaturday;
  if (range.low > range.high) {
    return refused(field, part, "a range runs from the lower to the higher");
  }
  return range;
}

Result<Set> parse_part(const Field& field, std::string_view part) {
  const std::size_t slash = part.find('/');
  const std::string_view text = part.substr(0, slash);
  const Result<Range> range = parse_range(field, part, text);
  if (!range) return range.refusal();

  std::optional<unsigned> step = 1;
  if (slash != std::string_view::npos) {
    if (text != "*" && text.find('-') == std::string_view::npos) {
      return refused(field, part, "a step follows \"*\" or a range");
    }
    step = parse_number(part.substr(slash + 1));
    if (!step || *step < 1 || *step > field.last) {
      return refused(field, part, fmt::format("a step is 1 to {}", field.last));
    }
  }
  Set set = 0;
  for (unsigned value = range->low; value <= range->high; value += *step) set |= Set{1} << value;
  return set;
}

Result<Set> parse_field(const Field& field, std::string_view text) {
  Set set = 0;
  for (;;) {
    const std::size_t comma = text.find(',');
    const Result<Set> part = parse_part(field, text.substr(0, comma));
    if (!part) return part.refusal();
    set |= *part;
    if (comma == std::string_view::npos) return set;
    text.remove_prefix(comma + 1);
  }
}

// Removes the next word from `rest`, and returns it; empty at the end.
std::string_view take_word(std::string_view& rest) {
  constexpr std::string_view kBlank = " \t";
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
  rest.remove_prefix(word.size());
  return word;
}

Refusal not_five(std::string_view text) {
  return {Code::invalid, "\"{}\": it takes five fields: minute, hour, day, month and weekday",
          escaped(text, 64)};
}

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  if (text.size() > kCronBytesMax) {
    return Refusal(Code::invalid, "the text has {} bytes; at most {} are allowed", text.size(),
                   kCronBytesMax);
  }
  std::string_view rest = text;
  std::array<std::string_view, kCronFields.size()> words;
  for (std::string_view& word : words) word = take_word(rest);
  if (words.back().empty() || !take_word(rest).empty()) return not_five(text);

  std::array<Set, kCronFields.size()> sets{};
  for (std::size_t i = 0; i < kCronFields.size(); ++i) {
    const Result<Set> set = parse_field(kCronFields[i], words[i]);
    if (!set) return set.refusal();
    sets[i] = *set;
  }
  Cron cron;
  cron.text_ = text;
  cron.minutes_ = sets[0];
  cron.hours_ = sets[1];
  cron.days_ = sets[2];
  cron.months_ = sets[3];
  cron.weekdays_ = sets[4] | (sets[4] >> kSundayAfterSaturday & 1U);
  cron.any_hour_ = words[1].starts_with('*');
  cron.either_day_ = !words[2].starts_with('*') && !words[4].starts_with('*');
  if (!cron.can_be_due()) {
    return Refusal(Code::invalid, "day '{}' of month '{}' never comes", escaped(words[2], 32),
                   escaped(words[3], 32));
  }
  return cron;
}

// In the 400 years of the calendar each day of a month falls on each weekday, so only day and month
// can be impossible.
bool Cron::can_be_due() const {
  constexpr std::array<unsigned, 13> kLongest = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (either_day_) return true;
  for (unsigned month = 1; month <= 12; ++month) {
    if (contains(months_, month) && *lowest_from(days_, 0) <= kLongest[month]) return true;
  }
  return false;
}

bool Cron::is_due_on(Days day) const {
  const year_month_day date(day);
  const bool day_is_named = contains(days_, static_cast<unsigned>(date.day()));
  const bool weekday_is_named = contains(weekdays_, weekday(day).c_encoding());
  const bool either = day_is_named || weekday_is_named;
  const bool both = day_is_named && weekday_is_named;
  return contains(months_, static_cast<unsigned>(date.month())) && (either_day_ ? either : both);
}

std::optional<Cron::Days> Cron::day_from(Days day) const {
  const Days end = floor<days>(moment(kTimeMax));
  while (day <= end) {
    const year_month_day date(day);
    if (is_due_on(day)) return day;
    if (contains(months_, static_cast<unsigned>(date.month()))) {
      day += days(1);
    } else {
      day = Days(date.year() / date.month() / 1 + months(1));
    }
  }
  return std::nullopt;
}

std::optional<Cron::Days> Cron::day_up_to(Days day) const {
  const Days begin = floor<days>(moment(-kTimeMax));
  while (day >= begin) {
    const year_month_day date(day);
    if (is_due_on(day)) return day;
    if (contains(months_, static_cast<unsigned>(date.month()))) {
      day -= days(1);
    } else {
      day = Days(date.year() / date.month() / 1) - days(1);
    }
  }
  return std::nullopt;
}

std::optional<Cron::Minutes> Cron::minute_from(Minutes minute) const {
  const auto hour = static_cast<unsigned>(floor<hours>(minute).count());
  const auto of_hour = static_cast<unsigned>((minute % hours(1)).count());
  if (const auto later = lowest_from(minutes_, of_hour); later && contains(hours_, hour)) {
    return hours(hour) + Minutes(*later);
  }
  const std::optional<unsigned> later_hour = lowest_from(hours_, hour + 1);
  if (!later_hour) return std::nullopt;
  return hours(*later_hour) + Minutes(*lowest_from(minutes_, 0));
}

std::optional<Cron::Minutes> Cron::minute_up_to(Minutes minute) const {
  const auto hour = static_cast<unsigned>(floor<hours>(minute).count());
  const auto of_hour = static_cast<unsigned>((minute % hours(1)).count());
  if (const auto earlier = highest_below(minutes_, of_hour + 1);
      earlier && contains(hours_, hour)) {
    return hours(hour) + Minutes(*earlier);
  }
  const std::optional<unsigned> earlier_hour = highest_below(hours_, hour);
  if (!earlier_hour) return std::nullopt;
  return hours(*earlier_hour) + Minutes(*highest_below(minutes_, 60));
}

std::optional<Time> Cron::next(Time after) const {
  const sys_time<minutes> from = floor<minutes>(moment(after)) + minutes(1);
  const Days today = floor<days>(from);
  if (is_due_on(today)) {
    if (const auto minute = minute_from(from - today)) return within_times(today + *minute);
  }
  const std::optional<Days> day = day_from(today + days(1));
  if (!day) return std::nullopt;
  return within_times(*day + *minute_from(kFirstMinute));
}

std::optional<Time> Cron::last(Time at) const {
  const sys_time<minutes> to = floor<minutes>(moment(at));
  const Days today = floor<days>(to);
  if (is_due_on(today)) {
    if (const auto minute = minute_up_to(to - today)) return within_times(today + *minute);
  }
  const std::optional<Days> day = day_up_to(today - days(1));
  if (!day) return std::nullopt;
  return within_times(*day + *minute_up_to(kLastMinute));
}

}  // namespace laurel
