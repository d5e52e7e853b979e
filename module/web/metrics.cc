#include "web/metrics.h"

#include <iterator>

#include <fmt/core.h>

namespace laurel::web {

namespace {

constexpr std::array<std::string_view, Metrics::kClosed> kClosedWords = {"left", "slow", "abuse",
                                                                         "ending"};
constexpr std::array<std::string_view, Metrics::kRefused> kRefusedWords = {
    "request", "token",  "origin",  "unknown", "method",      "late",
    "body",    "header", "address", "viewers", "unavailable", "idle"};

template <typename Number>
void append(std::string& text, std::string_view name, std::string_view kind, std::string_view help,
            Number value) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help,
                 kind, value);
}

template <std::size_t n>
void append_reasons(std::string& text, std::string_view name, std::string_view help,
                    const std::array<std::string_view, n>& words,
                    const std::array<std::uint64_t, n>& counts) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} counter\n", name, help);
  for (std::size_t i = 0; i < n; ++i) {
    fmt::format_to(std::back_inserter(text), "{}{{reason=\"{}\"}} {}\n", name, words[i], counts[i]);
  }
}

}  // namespace

void Metrics::count_status(unsigned status) {
  switch (status) {
    case 400: return count(Refused::request);
    case 401: return count(Refused::token);
    case 403: return count(Refused::origin);
    case 404: return count(Refused::unknown);
    case 405: return count(Refused::method);
    case 408: return count(Refused::late);
    case 413: return count(Refused::body);
    case 414:
    case 431: return count(Refused::header);
    case 503: return count(Refused::unavailable);
    default: return;  // 429 is counted where the limit is known
  }
}

std::string Metrics::text(std::size_t viewers, bool is_up, double round_trip) const {
  std::string text;
  append(text, "laurel_web_viewers", "gauge", "Open streams.", viewers);
  append(text, "laurel_web_events_total", "counter", "Messages sent to viewers.", events);
  append(text, "laurel_web_sent_bytes_total", "counter", "Bytes sent on streams.", sent_bytes);
  append(text, "laurel_web_conflated_total", "counter",
         "States that a newer one replaced before a slow viewer took them.", conflated);
  append_reasons(text, "laurel_web_closed_total", "Streams that ended, by reason.", kClosedWords,
                 closed);
  append_reasons(text, "laurel_web_refused_total",
                 "Requests and connections that were refused, by reason.", kRefusedWords, refused);
  append(text, "laurel_web_channel_up", "gauge", "Whether the channel to the game server stands.",
         is_up ? 1 : 0);
  append(text, "laurel_web_channel_round_trip_seconds", "gauge",
         "Measured round trip to the game server; 0 while the channel is down.", round_trip);
  return text;
}

}  // namespace laurel::web
