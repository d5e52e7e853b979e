#include "web/http/json.h"

#include <cmath>
#include <cstdint>
#include <iterator>

#include <fmt/core.h>

#include "base/encoding.h"

namespace laurel::web {

namespace {

constexpr double kWholeMax = 9007199254740992.0;  // 2^53

void append_escaped(std::string& json, char c) {
  switch (c) {
    case '"': json += "\\\""; return;
    case '\\': json += "\\\\"; return;
    case '\n': json += "\\n"; return;
    case '\r': json += "\\r"; return;
    case '\t': json += "\\t"; return;
    default: fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

void append_text(std::string& json, std::string_view bytes) {
  if (!is_utf8(bytes)) {
    json += "{\"base64\":\"";
    json += to_base64(bytes);
    json += "\"}";
    return;
  }
  json += '"';
  std::size_t plain = 0;  // where what needs no escape begins
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (!control && c != '"' && c != '\\') continue;
    json += bytes.substr(plain, i - plain);
    append_escaped(json, c);
    plain = i + 1;
  }
  json += bytes.substr(plain);
  json += '"';
}

void append_number(std::string& json, double number) {
  if (number == std::floor(number) && std::abs(number) <= kWholeMax) {
    fmt::format_to(std::back_inserter(json), "{}", static_cast<std::int64_t>(number));
  } else {
    fmt::format_to(std::back_inserter(json), "{}", number);
  }
}

}  // namespace laurel::web
