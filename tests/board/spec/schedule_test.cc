// When a line of cron is due in a zone: compared with Python's zoneinfo, and with a walk over every
// minute.
#include "board/spec/schedule.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "board/spec/naive_cron.h"
#include "long_form.h"

namespace laurel {

namespace {

Zone zone(std::string_view name) {
  const Result<Zone> found = Zone::find(name);
  if (!found) FAIL(found.refusal().text());
  return *found;
}

Schedule schedule(std::string_view line, Zone zone) {
  const Result<Cron> cron = Cron::parse(line);
  if (!cron) FAIL(cron.refusal().text());
  return {*cron, zone};
}

// Every due time in [begin, end), by next() alone.
std::vector<Time> forwards(const Schedule& schedule, Time begin, Time end) {
  std::vector<Time> due;
  for (auto time = schedule.next(begin - 1); time && *time < end; time = schedule.next(*time)) {
    REQUIRE((due.empty() || due.back() < *time));
    due.push_back(*time);
  }
  return due;
}

// Every due time in [begin, end), by last() alone.
std::vector<Time> backwards(const Schedule& schedule, Time begin, Time end) {
  std::vector<Time> due;
  for (auto time = schedule.last(end - 1); time && *time >= begin;
       time = schedule.last(*time - 1)) {
    REQUIRE((due.empty() || due.back() > *time));
    due.push_back(*time);
  }
  std::reverse(due.begin(), due.end());
  return due;
}

// The local times of a day of a zone at which the line is due, and at once the offset then.
std::string due_on(std::string_view line, std::string_view name, int year, int month, int day) {
  const Zone place = zone(name);
  const Time begin = place.first_at(midnight_of(year, month, day));
  const Time end = place.first_at(midnight_of(year, month, day) + kDay);
  std::string text;
  for (const Time due : forwards(schedule(line, place), begin, end)) {
    const Time local = due + place.offset(due) - midnight_of(year, month, day);
    text += fmt::format("{}{:02}:{:02}+{}", text.empty() ? "" : " ", local / kHour,
                        local % kHour / kMinute, place.offset(due) / kHour);
  }
  return text;
}

// What zone_oracle.py says.
struct PythonSays {
  struct Window {
    Time begin = 0;
    Time end = 0;
    std::map<std::string, std::vector<Time>> due;  // by line of cron
  };
  struct Place {
    std::map<Time, Time> offsets;  // from each of these moments on
    std::vector<Window> windows;
  };
  std::map<std::string, Place> places;
};

Time read_time(std::istringstream& words) {
  std::int64_t seconds = 0;
  words >> seconds;
  return seconds * kSecond;
}

void read_line(const std::string& line, PythonSays& oracle, std::string& name) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "zone") {
    words >> name;
    oracle.places[name];
    return;
  }
  PythonSays::Place& place = oracle.places[name];
  if (kind == "offset") {
    const Time at = read_time(words);
    place.offsets[at] = read_time(words);
  } else if (kind == "window") {
    const Time begin = read_time(words);
    place.windows.push_back({begin, read_time(words), {}});
  } else {
    REQUIRE(kind == "due");
    REQUIRE(read_time(words) == place.windows.back().begin);
    std::string cron;
    std::getline(words >> std::ws, cron, ':');
    std::vector<Time>& due = place.windows.back().due[cron];
    for (Time at = read_time(words); words; at = read_time(words)) due.push_back(at);
  }
}

PythonSays ask_python() {
  const auto close = [](FILE* file) { CHECK(pclose(file) == 0); };
  const std::unique_ptr<FILE, decltype(close)> out(
      popen("python3 " LAUREL_BOARD_TESTS "/spec/zone_oracle.py", "r"), close);
  REQUIRE(out);
  PythonSays oracle;
  std::string name;
  std::string line;
  for (int c = std::fgetc(out.get()); c != EOF; c = std::fgetc(out.get())) {
    if (c != '\n') {
      line += static_cast<char>(c);
    } else {
      read_line(line, oracle, name);
      line.clear();
    }
  }
  return oracle;
}

constexpr std::array<std::string_view, 8> kRestless = {
    "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia",     "America/St_Johns",
    "Asia/Tehran",   "Africa/Casablanca",   "America/Santiago", "Antarctica/Troll"};

}  // namespace

TEST_CASE("twelve zones have the offsets and due times of Python's zoneinfo, around every change") {
  const PythonSays oracle = ask_python();
  CHECK(oracle.places.size() == 12);
  std::size_t changes = 0;
  std::size_t found = 0;
  for (const auto& [name, place] : oracle.places) {
    CAPTURE(name);
    const Zone here = zone(name);
    // All changes, and no others.
    const Time first = place.offsets.begin()->first;
    std::map<Time, Time> offsets = {{first, here.offset(first)}};
    for (const ZonePeriod& period : here.periods()) {
      if (period.begin > first && period.begin < midnight_of(2036, 1, 1)) {
        offsets[period.begin] = period.offset;
      }
    }
    REQUIRE(offsets == place.offsets);
    changes += offsets.size() - 1;
    for (const PythonSays::Window& window : place.windows) {
      CAPTURE(window.begin / kSecond);
      CHECK(window.due.size() >= 8);
      for (const auto& [line, due] : window.due) {
        CAPTURE(line);
        const Schedule here_due = schedule(line, here);
        REQUIRE(forwards(here_due, window.begin, window.end) == due);
        REQUIRE(backwards(here_due, window.begin, window.end) == due);
        found += due.size();
      }
    }
  }
  CHECK(changes > 700);
  CHECK(found > 50'000);
}

TEST_CASE("a time that is left out falls on the first moment after the gap, once") {
  CHECK(due_on("30 2 * * *", "Europe/Berlin", 2024, 3, 30) == "02:30+1");
  CHECK(due_on("30 2 * * *", "Europe/Berlin", 2024, 3, 31) == "03:00+2");
  CHECK(due_on("*/15 2 * * *", "Europe/Berlin", 2024, 3, 31) == "03:00+2");
  CHECK(due_on("0 2,3 * * *", "Europe/Berlin", 2024, 3, 31) == "03:00+2");
  CHECK(due_on("0 1-4 * * *", "Europe/Berlin", 2024, 3, 31) == "01:00+1 03:00+2 04:00+2");
}

TEST_CASE("a time that comes twice counts once, the first time") {
  CHECK(due_on("30 2 * * *", "Europe/Berlin", 2024, 10, 27) == "02:30+2");
  CHECK(due_on("0 1-4 * * *", "Europe/Berlin", 2024, 10, 27) == "01:00+2 02:00+2 03:00+1 04:00+1");
}

TEST_CASE("a line with a star as its hour goes by elapsed time") {
  CHECK(due_on("0 * * * *", "Europe/Berlin", 2024, 10, 27)
            .starts_with("00:00+2 01:00+2 02:00+2 02:00+1 03:00+1"));
  CHECK(due_on("0 * * * *", "Europe/Berlin", 2024, 3, 31)
            .starts_with("00:00+1 01:00+1 03:00+2 04:00+2"));
  CHECK(due_on("30 */2 * * *", "Europe/Berlin", 2024, 10, 27)
            .starts_with("00:30+2 02:30+2 02:30+1 04:30+1"));
  CHECK(
      due_on("30 */2 * * *", "Europe/Berlin", 2024, 3, 31).starts_with("00:30+1 04:30+2 06:30+2"));
  const Schedule hourly = schedule("0 * * * *", zone("America/New_York"));
  for (Time at = midnight_of(2024, 1, 1); at < midnight_of(2025, 1, 1); at += kHour) {
    REQUIRE(hourly.next(at - 1) == at);
    REQUIRE(hourly.last(at + 1) == at);
  }
}

TEST_CASE("the times of a day that a zone left out fall on the first moment after it") {
  const Zone apia = zone("Pacific/Apia");
  const Time after = apia.first_at(midnight_of(2011, 12, 31));
  CHECK(forwards(schedule("0 0 * * *", apia), after - kDay, after + kDay) ==
        std::vector<Time>{after - kDay, after});
  CHECK(schedule("0 12 30 12 *", apia).next(after - kDay) == after);
  CHECK(schedule("0 12 30 12 *", apia).last(after + kDay) == after);
  // By elapsed time, nothing was due on it.
  CHECK(schedule("0 * 30 12 *", apia).next(after - kDay) ==
        apia.first_at(midnight_of(2012, 12, 30)));
}

TEST_CASE("in UTC a schedule is its cron") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    const NaiveCron naive(random);
    const Result<Cron> cron = Cron::parse(naive.text());
    if (!cron) continue;
    CAPTURE(naive.text());
    const Schedule due(*cron, Zone());
    for (int i = 0; i < 20; ++i) {
      const Time at =
          static_cast<Time>(random() % (400'000 * kDay / kSecond)) * kSecond - 200'000 * kDay;
      CHECK(due.next(at) == cron->next(at));
      CHECK(due.last(at) == cron->last(at));
    }
  }
}

TEST_CASE("a schedule agrees with a walk over every minute of some months") {
  constexpr std::int64_t kDays = 60;
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= short_or_long(50U, 150U); ++seed) {
    std::mt19937_64 random(seed);
    const NaiveCron naive(random);
    const Result<Cron> cron = Cron::parse(naive.text());
    if (!cron) continue;  // never due
    const std::string_view name = kRestless[random() % kRestless.size()];
    CAPTURE(seed);
    CAPTURE(name);
    CAPTURE(naive.text());
    const Zone place = zone(name);
    const Time first = (static_cast<std::int64_t>(random() % 23'000)) * kDay;  // up to 2032
    const bool elapsed = cron->any_hour();
    std::vector<Time> due;
    Time reached = first - kMinute + place.offset(first - kMinute);
    // Local times of the first hours may be repeated ones: the walk begins a day earlier.
    for (Time at = first - kDay; at < first + kDays * kDay; at += kMinute) {
      const Time local = at + place.offset(at);
      if (at == first - kDay) reached = local;
      const Time from = elapsed ? local : reached + kMinute;
      for (Time time = from; time <= local; time += kMinute) {
        const std::int64_t day = time / kDay;
        static std::map<std::int64_t, Date> dates;
        if (!dates.contains(day)) dates[day] = date_of(day);
        if (!naive.due_on(dates[day])) continue;
        const auto minute = static_cast<int>(time % kDay / kMinute);
        if (!naive.due_at(minute / 60, minute % 60)) continue;
        if (at >= first && (due.empty() || due.back() != at)) due.push_back(at);
      }
      reached = std::max(reached, local);
    }
    found += due.size();
    REQUIRE(forwards(Schedule(*cron, place), first, first + kDays * kDay) == due);
    REQUIRE(backwards(Schedule(*cron, place), first, first + kDays * kDay) == due);
  }
  CHECK(found > 50'000);
}

TEST_CASE("nothing is due outside the range of times, in any zone") {
  constexpr Time kTimeEnd = static_cast<Time>(kTimeSecondsMax) * kSecond;
  for (const std::string_view name : {"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"}) {
    for (const std::string_view line : {"* * * * *", "0 12 * * *", "0 0 29 2 */7"}) {
      CAPTURE(name);
      CAPTURE(line);
      const Schedule due = schedule(line, zone(name));
      CHECK_FALSE(due.next(kTimeEnd));
      CHECK_FALSE(due.next(INT64_MAX));
      CHECK_FALSE(due.last(-kTimeEnd));
      CHECK_FALSE(due.last(INT64_MIN));
      CHECK(due.next(INT64_MIN) == due.next(-kTimeEnd));
      CHECK(due.last(INT64_MAX) == due.last(kTimeEnd));
    }
  }
}

}  // namespace laurel
