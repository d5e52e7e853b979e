// json_line.h - one line of an export, written and read.
//
//   text     bytes as a JSON string where they are UTF-8, else as {"base64": "..."}.
//   reading  a member that is missing or of another type is remembered as the line's damage; what
//            is read then is a zero or nothing, so a reader may go on and ask status() at the end.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

using Json = nlohmann::ordered_json;

Json json_text(std::string_view bytes);
// Nothing when the value is no text.
std::optional<std::string> text_of(const Json& value);

class JsonObject {
 public:
  // `value` outlives it. `kind` is what messages call the object.
  JsonObject(std::string_view kind, const Json& value);

  bool has(const char* member) const;
  std::string text(const char* member);
  std::optional<std::string> optional_text(const char* member);
  double number(const char* member);
  std::int64_t integer(const char* member);
  std::optional<std::int64_t> optional_integer(const char* member);
  bool truth(const char* member);
  const Json& member(const char* member);  // null when it is missing

  void fail(std::string_view member, std::string_view expected);
  // Fails with bad_data.
  Status status() const;

 private:
  const Json* find(const char* member) const;

  std::string_view kind_;
  const Json& value_;
  std::optional<Refusal> damage_;
};

}  // namespace laurel
