// counters.h - the counters of a registry with their public names, as in boards:stats() and in the
// C interface's stats.
#pragma once

#include <array>

#include "registry/registry.h"

namespace laurel {

struct Counter {
  const char* name;
  double value;
};

inline auto counters_of(const RegistryStats& stats) {
  const auto counter = [](const char* name, std::uint64_t count) {
    return Counter{name, static_cast<double>(count)};
  };
  return std::array{
      counter("boards", stats.boards),
      counter("players", stats.players),
      counter("entries", stats.entries),
      counter("bytes", stats.bytes),
      counter("store_entries", stats.store_entries),
      counter("store_bytes", stats.store_bytes),
      counter("reclaiming", stats.reclaiming),
      counter("submissions_waiting", stats.submissions_waiting),
      counter("disk_bytes_waiting", stats.disk.waiting_bytes),
      Counter{"disk_seconds_waiting", stats.disk.waiting_seconds},
      counter("disk_transactions", stats.disk.transactions),
      counter("disk_failures", stats.disk.failures),
      counter("disk_file_bytes", stats.disk.file_bytes),
      counter("ticks", stats.ticks),
      counter("slices_put_off", stats.slices_put_off),
      counter("season_ends_waiting", stats.season_ends.waiting),
      counter("season_ends_told", stats.season_ends.told),
      counter("season_ends_failed", stats.season_ends.failed),
      counter("season_ends_lost", stats.season_ends.lost),
      counter("watches", stats.watches),
      counter("submissions", stats.submitted.submissions),
      counter("changed", stats.submitted.changed),
      counter("refused", stats.submitted.refused),
      counter("changes_dropped", stats.changes_dropped),
      counter("entries_read", stats.reads.entries),
      counter("objects_read", stats.reads.objects),
      counter("objects_loaded", stats.reads.loads),
      counter("objects_written", stats.reads.written),
      counter("gather_rounds", stats.reads.rounds),
      counter("rules_judged", stats.rules.judged),
      counter("rules_rejected", stats.rules.rejected),
      counter("rules_failed", stats.rules.failed),
      counter("rules_unavailable", stats.rules.unavailable),
      counter("rules_bypassed", stats.rules.bypassed),
      counter("rules_off", stats.rules.off),
      counter("rules_loaded", stats.rules.loaded),
      counter("rules_load_failed", stats.rules.load_failed),
  };
}

}  // namespace laurel
