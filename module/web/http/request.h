// request.h - reads the head of an HTTP request.
//
//   head      the request line and the header, with the empty line; at most kHeaderBytesMax.
//             HTTP/1.0 and 1.1, with Boost.Beast's parser.
//   decoded   each segment of the path and each parameter of the query is percent-decoded by
//             itself, so that %2F is a byte of a name. In a query "+" is a space.
//   owner     a Request owns its bytes.
//   threads   none; all functions are pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace laurel::web {

struct Request {
  std::string method;
  std::string target;             // as it came
  std::vector<std::string> path;  // "/a/b" is a, b; "/" is one empty segment
  std::vector<std::pair<std::string, std::string>> query;
  unsigned version = 11;  // 10 or 11
  bool keep_alive = true;
  bool has_body = false;

  // Fields of the header. Absent or empty: they were not there.
  std::string host;
  std::optional<std::string> origin;
  std::optional<std::string> authorization;
  std::optional<std::string> if_none_match;
  std::optional<std::string> last_event_id;
  std::string accept;
  std::string forwarded_for;  // the last field of that name
  bool wants_websocket = false;
  std::string websocket_key, websocket_version;

  // The first parameter of that name.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

// Why a request is answered with an error: the status, and "word: sentence" for its body.
struct Failure {
  unsigned status = 400;
  std::string error;
};

// Where the head of the first request in the bytes ends; absent if that is not there yet. `from`
// is where the last search of these bytes ended.
std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t from);

// The error for a head that is longer than kHeaderBytesMax: 414 if that is the request line's
// fault, else 431.
Failure too_long(std::string_view bytes);

// Reads a head as end_of_head() found it.
std::variant<Request, Failure> request_of(std::string_view head);

// Decodes %41. Absent if two hexadecimal digits do not follow a percent sign.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

}  // namespace laurel::web
