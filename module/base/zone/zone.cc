#include "base/zone/zone.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/zone/zone_data.h"

namespace laurel {

namespace {

std::vector<ZonePeriod> periods_of(const std::vector<ZoneChange>& changes) {
  std::vector<ZonePeriod> periods;
  periods.reserve(changes.size());
  for (const ZoneChange& change : changes) {
    if (periods.empty()) {
      periods.push_back({-Zone::kAlways, change.offset, -Zone::kAlways});
      continue;
    }
    const ZonePeriod& before = periods.back();
    const Time reached = std::max(before.reached_until, change.at + before.offset);
    periods.push_back({change.at, change.offset, reached});
  }
  return periods;
}

}  // namespace

constinit const Zone::Table Zone::kUtc{"UTC", {&kUtcPeriod, 1}};

struct Zone::KnownZones {
  struct Known {
    Table table;
    std::vector<ZonePeriod> periods;
  };

  std::mutex mutex;
  std::map<std::string, Known, std::less<>> zones;
};

Result<Zone> Zone::find(std::string_view name) {
  if (name == kUtc.name) return Zone();
  static KnownZones& known = *new KnownZones;  // zones outlive all other objects
  const std::lock_guard lock(known.mutex);
  if (const auto found = known.zones.find(name); found != known.zones.end()) {
    return Zone(&found->second.table);
  }
  Result<std::vector<ZoneChange>> changes = read_zone(name);
  if (!changes) return changes.refusal();
  const auto added = known.zones.emplace(name, KnownZones::Known{{}, periods_of(*changes)}).first;
  added->second.table = {added->first, added->second.periods};
  return Zone(&added->second.table);
}

std::size_t Zone::period_at(Time at) const {
  const auto later =
      std::upper_bound(periods().begin() + 1, periods().end(), at,
                       [](Time moment, const ZonePeriod& period) { return moment < period.begin; });
  return static_cast<std::size_t>(later - periods().begin()) - 1;
}

Time Zone::reached(Time at) const {
  const ZonePeriod& period = periods()[period_at(at)];
  return std::max(at + period.offset, period.reached_until - 1);
}

// The last period before which the time was not reached is the one that reaches it.
Time Zone::first_at(Time local) const {
  const auto later = std::upper_bound(
      periods().begin() + 1, periods().end(), local,
      [](Time time, const ZonePeriod& period) { return time < period.reached_until; });
  const ZonePeriod& period = *(later - 1);
  return std::max(period.begin, local - period.offset);
}

std::int64_t Zone::day(Time at) const {
  const Time local = reached(std::clamp(at, -kAlways, kAlways));
  return local / kDay - (local % kDay < 0 ? 1 : 0);
}

}  // namespace laurel
