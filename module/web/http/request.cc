#include "web/http/request.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <fmt/core.h>

#include "base/text.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

namespace http = boost::beast::http;
using Fields = http::fields;

template <typename Text>
std::string_view view(const Text& text) {
  return {text.data(), text.size()};
}

std::optional<unsigned> digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// The part of a target from its path on: "http://host/a" is a request to a proxy.
std::string_view path_and_query(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const std::size_t path = target.find_first_of("/?", scheme + 3);
  return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
}

Failure bad(std::string_view what) { return {400, fmt::format("invalid: {}", what)}; }

bool read_path(std::string_view path, Request& request) {
  if (path.starts_with('/')) path.remove_prefix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    auto segment = percent_decoded(path.substr(0, slash), false);
    if (!segment) return false;
    request.path.push_back(std::move(*segment));
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool read_query(std::string_view query, Request& request) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view each = query.substr(0, end);
    const std::size_t equals = each.find('=');
    auto name = percent_decoded(each.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::string()
                                                  : percent_decoded(each.substr(equals + 1), true);
    if (!name || !value) return false;
    if (!each.empty()) request.query.emplace_back(std::move(*name), std::move(*value));
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
  }
  return true;
}

std::optional<std::string> field(const Fields& fields, boost::beast::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return std::nullopt;
  return std::string(view(found->value()));
}

bool has_token(const Fields& fields, boost::beast::string_view name,
               boost::beast::string_view token) {
  const auto [first, last] = fields.equal_range(name);
  for (auto each = first; each != last; ++each) {
    if (http::token_list{each->value()}.exists(token)) return true;
  }
  return false;
}

void read_fields(const Fields& fields, Request& request) {
  request.host = field(fields, "Host").value_or("");
  request.origin = field(fields, "Origin");
  request.authorization = field(fields, "Authorization");
  request.if_none_match = field(fields, "If-None-Match");
  request.last_event_id = field(fields, "Last-Event-ID");
  request.accept = field(fields, "Accept").value_or("");
  const auto [first, last] = fields.equal_range("X-Forwarded-For");
  for (auto each = first; each != last; ++each) request.forwarded_for = view(each->value());
  request.wants_websocket = request.version == 11 && request.method == "GET" &&
                            has_token(fields, "Connection", "upgrade") &&
                            has_token(fields, "Upgrade", "websocket");
  request.websocket_key = field(fields, "Sec-WebSocket-Key").value_or("");
  request.websocket_version = field(fields, "Sec-WebSocket-Version").value_or("");
}

}  // namespace

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  for (const auto& [each, value] : query) {
    if (each == name) return value;
  }
  return std::nullopt;
}

std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t from) {
  const std::size_t end = bytes.find("\r\n\r\n", from < 3 ? 0 : from - 3);
  if (end == std::string_view::npos) return std::nullopt;
  return end + 4;
}

Failure too_long(std::string_view bytes) {
  if (bytes.find("\r\n") == std::string_view::npos) {
    return {414,
            fmt::format("out_of_range: the request line is longer than {} bytes", kHeaderBytesMax)};
  }
  return {431, fmt::format("out_of_range: the header is longer than {} bytes", kHeaderBytesMax)};
}

std::variant<Request, Failure> request_of(std::string_view head) {
  http::request_parser<http::empty_body> parser;
  parser.eager(false);
  parser.skip(true);  // the caller looks at has_body
  parser.header_limit(kHeaderBytesMax);
  boost::system::error_code failed;
  parser.put(boost::asio::buffer(head.data(), head.size()), failed);
  if (failed && failed != http::error::need_more) return bad("this is not an HTTP request");
  if (!parser.is_header_done()) return bad("this is not an HTTP request");

  const auto& message = parser.get();
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.version = message.version();
  request.keep_alive = parser.keep_alive();
  request.has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
  if (request.version != 10 && request.version != 11) return bad("the version is not HTTP/1.1");
  read_fields(message, request);
  if (request.version == 11 && request.host.empty()) return bad("the request has no Host");
  const std::string_view target = path_and_query(request.target);
  const std::size_t question = std::min(target.find('?'), target.size());
  const std::string_view query = target.substr(std::min(question + 1, target.size()));
  if (!read_path(target.substr(0, question), request) || !read_query(query, request)) {
    return bad("in an address two hexadecimal digits follow each %");
  }
  return request;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const auto high = i + 1 < text.size() ? digit_of(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? digit_of(text[i + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return decoded;
}

}  // namespace laurel::web
