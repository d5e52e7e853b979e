#include "transfer/shown_values.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "base/time.h"

namespace laurel {

namespace {

constexpr std::size_t kValueBytesShown = 64;

// The whole text as a finite number.
std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Takes digits from the front of the text, and the character after them if it is that one.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
        good_ = false;
        return 0;
      }
      number = number * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) { good_ = good_ && take(c); }
  // Microseconds; up to six digits.
  Time fraction() {
    constexpr int kDigits = 6;
    Time part = 0;
    int digits = 0;
    for (; digits < kDigits && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
         ++digits) {
      part = part * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    good_ = good_ && digits > 0;
    for (; digits < kDigits; ++digits) part *= 10;
    return part;
  }
  bool is_good() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::optional<Time> time_in(std::string_view text) {
  namespace ch = std::chrono;
  DateReader in(text);
  const ch::year year(in.digits(4));
  in.need('-');
  const ch::month month(static_cast<unsigned>(in.digits(2)));
  in.need('-');
  const ch::day day(static_cast<unsigned>(in.digits(2)));
  if (!in.take('T')) in.need(' ');
  const int hour = in.digits(2);
  in.need(':');
  const int minute = in.digits(2);
  const int second = in.take(':') ? in.digits(2) : 0;
  const Time part = in.take('.') ? in.fraction() : 0;
  in.take('Z');
  const ch::year_month_day date(year, month, day);
  if (!in.is_good() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const auto days = ch::sys_days(date).time_since_epoch().count();
  return ((static_cast<Time>(days) * 24 + hour) * 3600 + minute * 60 + second) * kSecond + part;
}

}  // namespace

Status read_shown_score(std::string_view text, const ScoreColumns* columns, Submission& submission,
                        ColumnValues& values) {
  if (columns == nullptr) {
    const std::optional<double> score = number_in(trimmed(text));
    if (!score) {
      return Refusal(Code::bad_data, "the score \"{}\" is no number",
                     escaped(text, kValueBytesShown));
    }
    submission.score = *score;
    return Done{};
  }
  values.count = 0;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::optional<double> value = number_in(trimmed(rest.substr(0, comma)));
    if (!value || values.count == columns->size()) {
      values.count = 0;
      break;
    }
    values.values[values.count++] = *value;
    if (more) rest.remove_prefix(comma + 1);
  }
  if (values.count != columns->size()) {
    return Refusal(Code::bad_data,
                   "the score \"{}\" has not {} numbers with commas between them, one a column",
                   escaped(text, kValueBytesShown), columns->size());
  }
  submission.set_values(*columns, values);
  return Done{};
}

std::string text_of_score(double score, const ScoreColumns* columns) {
  if (columns == nullptr) return shown(score);
  std::string text;
  const ColumnValues values = columns->values(score);
  for (const double value : values.all()) {
    if (!text.empty()) text += ',';
    text += shown(value);
  }
  return text;
}

Result<double> read_moment(std::string_view text) {
  const std::string_view bare = trimmed(text);
  if (const std::optional<double> seconds = number_in(bare)) return *seconds;
  if (const std::optional<Time> time = time_in(bare)) return seconds_from_time(*time);
  return Refusal(Code::bad_data,
                 "the moment \"{}\" is neither Unix seconds nor as 2026-11-26T08:15:00.000000Z",
                 escaped(text, kValueBytesShown));
}

}  // namespace laurel
