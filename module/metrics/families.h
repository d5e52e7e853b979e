// families.h - what a registry measures: the names, types and labels of its metrics.
//
// The names and labels are a promise to dashboards and alert rules: they do not change. The table
// is in docs/operating.md, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laurel {

enum class Family : std::uint8_t {
  up,
  build_info,
  board_players,
  board_season,
  submissions,
  refusals,
  tick_seconds,
  memory_bytes,
  commit_seconds,
  disk_pending_bytes,
  disk_file_bytes,
  disk_failures,
  live_clients,
  live_subscriptions,
  live_sent_bytes,
  live_sent_messages,
  live_denied,
  live_closed,
  rule_failures,
  rule_off,
  rule_seconds,
  remote_up,
  remote_pending_posts,
  remote_round_trip_seconds,
  season_ends_pending,
};
inline constexpr std::size_t kFamilies = 25;

enum class MetricType : std::uint8_t { gauge, counter, histogram };

struct FamilyFacts {
  std::string_view name;
  MetricType type = MetricType::gauge;
  std::array<std::string_view, 2> labels;  // empty: none
  std::string_view help;
};
const FamilyFacts& facts_of(Family family);

// Bounds of histograms, in seconds.
inline constexpr std::array kTickBounds = {1e-5,   2.5e-5, 5e-5, 1e-4,   2.5e-4, 5e-4, 1e-3,
                                           2.5e-3, 5e-3,   1e-2, 2.5e-2, 5e-2,   1e-1};
inline constexpr std::array kCommitBounds = {1e-4, 2.5e-4, 5e-4,   1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2,
                                             5e-2, 1e-1,   2.5e-1, 5e-1, 1.0,    2.5,  5.0,  1e1};
inline constexpr std::array kRuleBounds = {2.5e-7, 5e-7, 1e-6,   2.5e-6, 5e-6, 1e-5, 2.5e-5,
                                           5e-5,   1e-4, 2.5e-4, 5e-4,   1e-3, 1e-2};

}  // namespace laurel
