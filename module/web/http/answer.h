// answer.h - writes the answer to an HTTP request.
//
//   always    Date, X-Content-Type-Options, Referrer-Policy, Content-Security-Policy and
//             Cache-Control are in each answer.
//   stream    has no length: it ends with its connection, which is not used again. So the bytes of
//             a message are the same for all viewers.
//   threads   none; all functions are pure, except for the date.
#pragma once

#include <string>
#include <string_view>

#include "web/http/request.h"

namespace laurel::web {

inline constexpr std::string_view kJson = "application/json; charset=utf-8";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

struct Answer {
  unsigned status = 200;
  std::string_view type = kJson;  // of the body; points to a constant
  std::string body;
  std::string etag;            // with its quotes; empty: none
  std::string fields;          // more of the header: lines that end with CRLF
  bool may_be_stored = false;  // true: no-cache, which means to ask again. false: no-store
  bool may_be_framed = true;
  bool closes = false;  // the connection ends after it
};

// The answer for a failure, whose error is its body.
Answer answer_of(const Failure& failure);

// Makes it a 304 without a body if the client's If-None-Match names its ETag.
void shorten_if_known(Answer& answer, const std::optional<std::string>& if_none_match);

// The bytes of the answer.
//   has_body    false: for HEAD, which gets the head only
std::string text_of(const Answer& answer, bool has_body, bool keep_alive);

// The head of an event stream.
//   fields   more of the header: lines that end with CRLF
std::string stream_head(std::string_view fields);
// The head of an upgrade to WebSocket.
std::string websocket_head(std::string_view accept_key);

// A line of a header. REQUIRES: no control byte in the value.
std::string field_line(std::string_view name, std::string_view value);

}  // namespace laurel::web
