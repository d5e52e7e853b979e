#include "metrics/families.h"

namespace laurel {

namespace {

using enum MetricType;

constexpr std::array<FamilyFacts, kFamilies> kFacts = {{
    {"laurel_up", gauge, {}, "1 while the boards are open, 0 when they were closed."},
    {"laurel_build_info", gauge, {"version", "lua"}, "The version of laurel; its value is 1."},
    {"laurel_board_players", gauge, {"board"}, "Players that are ranked on a board."},
    {"laurel_board_season", gauge, {"board"}, "The number of a board's running season."},
    {"laurel_submissions_total",
     counter,
     {"board", "result"},
     "Results that were submitted to boards of this registry."},
    {"laurel_refusals_total", counter, {"reason"}, "Results that were refused, by reason."},
    {"laurel_tick_seconds", histogram, {}, "How long ticks took."},
    {"laurel_memory_bytes", gauge, {"kind"}, "Memory in use."},
    {"laurel_disk_commit_seconds",
     histogram,
     {},
     "How long transactions took, up to the end of their sync."},
    {"laurel_disk_pending_bytes", gauge, {}, "Memory of writes that are not on the disk yet."},
    {"laurel_disk_file_bytes", gauge, {}, "The size of the file."},
    {"laurel_disk_failures_total", counter, {}, "Transactions that failed."},
    {"laurel_live_clients", gauge, {}, "Clients of live channels that are connected."},
    {"laurel_live_subscriptions", gauge, {}, "Subscriptions of these clients."},
    {"laurel_live_sent_bytes_total",
     counter,
     {},
     "Bytes sent to clients, without the headers of ENet and UDP."},
    {"laurel_live_sent_messages_total", counter, {}, "Messages sent to clients."},
    {"laurel_live_denied_total",
     counter,
     {},
     "Connections that were not accepted, and wrong secrets."},
    {"laurel_live_closed_total", counter, {"reason"}, "Connections that the server ended."},
    {"laurel_rule_failures_total",
     counter,
     {"rule"},
     "Failures of a rule. A result that it rejects is none."},
    {"laurel_rule_off", gauge, {"rule"}, "1 while a rule is switched off because it failed."},
    {"laurel_rule_seconds", histogram, {"rule"}, "How long a rule took to judge a result."},
    {"laurel_remote_up", gauge, {"remote"}, "1 while a remote answers."},
    {"laurel_remote_pending_posts",
     gauge,
     {"remote"},
     "Posts that a remote has not acknowledged yet."},
    {"laurel_remote_round_trip_seconds",
     gauge,
     {"remote"},
     "How long a remote took to answer, smoothed."},
    {"laurel_season_ends_pending",
     gauge,
     {"handler"},
     "Ends of seasons that a handler has not heard of yet."},
}};

static_assert(static_cast<std::size_t>(Family::season_ends_pending) + 1 == kFamilies);

}  // namespace

const FamilyFacts& facts_of(Family family) { return kFacts[static_cast<std::size_t>(family)]; }

}  // namespace laurel
