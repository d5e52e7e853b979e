// zone_data.h - reads a zone's changes of offset from the system's zone data.
//
//   source   /usr/share/zoneinfo, through Howard Hinnant's date library, which keeps what it read
//            until the process ends.
//   threads  any.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace laurel {

struct ZoneChange {
  Time at = 0;      // of the first one: before all times
  Time offset = 0;  // from then on
};

// In order, at least one and at most kZoneChangesMax. Fails as Zone::find does.
Result<std::vector<ZoneChange>> read_zone(std::string_view name);

}  // namespace laurel
