// The only file that includes the date library, whose headers take long to compile.
#include "base/zone/zone_data.h"

#include <algorithm>
#include <chrono>
#include <date/tz.h>
#include <exception>
#include <new>
#include <string>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

using ZoneMoment = std::chrono::sys_seconds;

constexpr ZoneMoment kFirstMoment{
    std::chrono::seconds(-static_cast<std::int64_t>(kTimeSecondsMax))};
constexpr ZoneMoment kLastMoment{std::chrono::seconds(static_cast<std::int64_t>(kTimeSecondsMax))};

// The directory has files that are not zones: "localtime", "zone.tab", "leapseconds".
bool is_zone_name(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         name.find('.') == std::string_view::npos;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '_';
  }
  return lower;
}

// A name without a slash is compared with the last part of each zone's name: "berlin" is nearest to
// "Europe/Berlin".
std::string nearest_zone(std::string_view name, const date::tzdb& data) {
  const bool is_whole = name.find('/') != std::string_view::npos;
  std::vector<std::string_view> names = {"UTC"};
  for (const date::time_zone& zone : data.zones) {
    if (is_zone_name(zone.name())) names.push_back(zone.name());
  }
  std::vector<std::string> lower;
  lower.reserve(names.size());
  for (const std::string_view each : names) {
    lower.push_back(in_lower_case(is_whole ? each : last_name(each)));
  }
  const std::vector<std::string_view> candidates(lower.begin(), lower.end());
  const std::string_view found =
      nearest(in_lower_case(name), candidates, kZoneNameBytesMax + name.size());
  const auto place = std::find_if(candidates.begin(), candidates.end(), [&](std::string_view each) {
    return each.data() == found.data();
  });
  return std::string(names[static_cast<std::size_t>(place - candidates.begin())]);
}

const date::time_zone* find_zone(std::string_view name, const date::tzdb& data) {
  const auto found = std::lower_bound(
      data.zones.begin(), data.zones.end(), name,
      [](const date::time_zone& zone, std::string_view wanted) { return zone.name() < wanted; });
  const bool is_found = found != data.zones.end() && found->name() == name && is_zone_name(name);
  return is_found ? &*found : nullptr;
}

// Changes of the name or of the law alone are none of the offset.
Result<std::vector<ZoneChange>> changes_of(const date::time_zone& zone) {
  std::vector<ZoneChange> changes;
  for (ZoneMoment at = kFirstMoment; at < kLastMoment;) {
    const date::sys_info info = zone.get_info(at);
    const Time offset = std::chrono::microseconds(info.offset).count();
    if (changes.empty() || changes.back().offset != offset) {
      if (changes.size() == kZoneChangesMax) {
        return Refusal(Code::invalid, "its data has more than {} changes", kZoneChangesMax);
      }
      changes.push_back({std::chrono::microseconds(at.time_since_epoch()).count(), offset});
    }
    if (info.end <= at) break;
    at = info.end;
  }
  return changes;
}

Refusal no_zone_data() {
  return {Code::invalid,
          "this machine has no zone data (the package tzdata); without it the zone is \"UTC\""};
}

// Null if there are none. The library tries again with each call until it succeeds.
const date::tzdb* find_data() {
  try {
    const date::tzdb& data = date::get_tzdb();
    return data.zones.empty() ? nullptr : &data;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

Result<std::vector<ZoneChange>> read_zone(std::string_view name) {
  const date::tzdb* const data = find_data();
  if (data == nullptr) return no_zone_data();
  const date::time_zone* const zone = find_zone(name, *data);
  if (zone == nullptr) {
    return Refusal(Code::invalid,
                   "the system's zone data has no zone of that name; did you mean \"{}\"?",
                   nearest_zone(name.substr(0, kZoneNameBytesMax), *data));
  }
  try {
    return changes_of(*zone);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return Refusal(Code::invalid, "the system's data of this zone cannot be read: {}",
                   escaped(error.what(), 64));
  }
}

}  // namespace laurel
