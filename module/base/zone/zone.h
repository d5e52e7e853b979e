// zone.h - time zones of the IANA database: which time the clocks of a place show.
//
//   local    what a clock of the zone shows, as microseconds since it showed 1970-01-01 00:00.
//   change   a moment at which the offset from UTC changes. The local clock then leaves times out,
//            or shows some for a second time.
//   reached  the latest local time that the clock has shown up to a moment. Unlike the clock itself
//            it never goes back, so "the first moment at which this local time is reached" has one
//            answer: if the time comes twice, the first of the two; if it is left out, the first
//            moment after it.
//   data     the system's, of the package tzdata (zone_data.h). It is read when a zone is named for
//            the first time, and kept until the process ends: about 5 KB a zone, and at most the
//            zones that the system has. UTC needs none.
//   end      Debian's data list changes up to 2037. Later times have the last offset.
//   threads  any. A Zone is a pointer to what never changes.
//   cost     find() takes a few milliseconds the first time; all else O(log changes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace laurel {

// A stretch of time with one offset; it ends where the next one begins.
struct ZonePeriod {
  Time begin = 0;
  Time offset = 0;         // local time less UTC
  Time reached_until = 0;  // local times before this were reached before `begin`
};

class Zone {
 public:
  // Before and after all times: the begin of the first period, and the end of the last one.
  static constexpr Time kAlways = std::int64_t{1} << 60;

  // UTC.
  Zone() = default;
  // Fails with `invalid` if the system has no zone of that name, naming the nearest one, or no zone
  // data at all. The message continues "field 'zone' is ...: ".
  static Result<Zone> find(std::string_view name);

  std::string_view name() const { return table_->name; }
  bool is_utc() const { return table_ == &kUtc; }
  friend bool operator==(const Zone&, const Zone&) = default;

  Time offset(Time at) const { return periods()[period_at(at)].offset; }
  // The latest local time that was shown up to this moment.
  Time reached(Time at) const;
  // The first moment at which reached() is at least `local`.
  Time first_at(Time local) const;
  // The local date, in days since 1970-01-01: that of reached(), so it never goes back.
  std::int64_t day(Time at) const;

  // In order; the first one begins, and the last one ends, beyond all times.
  std::span<const ZonePeriod> periods() const { return table_->periods; }
  std::size_t period_at(Time at) const;
  Time end_of(std::size_t period) const {
    return period + 1 < periods().size() ? periods()[period + 1].begin : kAlways;
  }

 private:
  struct Table {
    std::string_view name;
    std::span<const ZonePeriod> periods;
  };
  struct KnownZones;
  static constexpr ZonePeriod kUtcPeriod{-kAlways, 0, -kAlways};
  static const Table kUtc;

  explicit Zone(const Table* table) : table_(table) {}

  const Table* table_ = &kUtc;
};

}  // namespace laurel
