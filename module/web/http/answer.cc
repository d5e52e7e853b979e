#include "web/http/answer.h"

#include <ctime>
#include <ostream>  // which Boost 1.74 needs and does not include

#include <boost/beast/http/status.hpp>
#include <fmt/core.h>

#include "web/http/json.h"

namespace laurel::web {

namespace {

std::string date() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[64];
  // The program stays in the locale "C", whose names of days and months are HTTP's.
  const std::size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

std::string_view reason(unsigned status) {
  const auto text = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  return {text.data(), text.size()};
}

constexpr std::string_view kSafety =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n";

std::string head(unsigned status) {
  return fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n{}", status, reason(status), date(), kSafety);
}

// Whether a list of entity tags has this one. A proxy that compresses makes it a weak one.
bool names(std::string_view list, std::string_view etag) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view each = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    while (each.starts_with(' ') || each.starts_with('\t')) each.remove_prefix(1);
    while (each.ends_with(' ') || each.ends_with('\t')) each.remove_suffix(1);
    if (each == "*") return true;
    if (each.starts_with("W/")) each.remove_prefix(2);
    if (each == etag) return true;
  }
  return false;
}

}  // namespace

Answer answer_of(const Failure& failure) {
  Answer answer;
  answer.status = failure.status;
  answer.body = "{\"error\":";
  append_text(answer.body, failure.error);
  answer.body += "}";
  switch (failure.status) {
    case 401: answer.fields = field_line("WWW-Authenticate", "Bearer"); break;
    case 429:
    case 503: answer.fields = field_line("Retry-After", "1"); break;
    default: break;
  }
  return answer;
}

void shorten_if_known(Answer& answer, const std::optional<std::string>& if_none_match) {
  if (answer.status != 200 || answer.etag.empty() || !if_none_match) return;
  if (!names(*if_none_match, answer.etag)) return;
  answer.status = 304;
  answer.body.clear();
}

std::string text_of(const Answer& answer, bool has_body, bool keep_alive) {
  std::string text = head(answer.status);
  text += "Content-Security-Policy: default-src 'self'";
  if (!answer.may_be_framed) text += "; frame-ancestors 'none'\r\nX-Frame-Options: DENY";
  text += "\r\nCache-Control: ";
  text += answer.may_be_stored ? "no-cache\r\n" : "no-store\r\n";
  if (!answer.etag.empty()) text += field_line("ETag", answer.etag);
  text += answer.fields;
  if (answer.status != 304 && answer.status != 204) {
    text += field_line("Content-Type", answer.type);
    text += fmt::format("Content-Length: {}\r\n", answer.body.size());
  }
  text +=
      keep_alive && !answer.closes ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (has_body) text += answer.body;
  return text;
}

std::string stream_head(std::string_view fields) {
  return fmt::format(
      "{}Content-Security-Policy: default-src 'self'\r\nCache-Control: no-store\r\n{}"
      "X-Accel-Buffering: no\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
      head(200), fields);
}

std::string websocket_head(std::string_view accept_key) {
  return fmt::format(
      "{}Cache-Control: no-store\r\nX-Accel-Buffering: no\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n\r\n",
      head(101), accept_key);
}

std::string field_line(std::string_view name, std::string_view value) {
  return fmt::format("{}: {}\r\n", name, value);
}

}  // namespace laurel::web
