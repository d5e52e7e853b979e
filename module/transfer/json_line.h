// json_line.h - writes and reads one line of an export.
//
//   text     a JSON string if the bytes are UTF-8, else {"base64": "..."}.
//   reading  the first member that is missing or has the wrong type is remembered; it reads as zero
//            or absent. So a reader gets all members and checks status() once, at the end.
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
// Absent if the value is not text.
std::optional<std::string> text_of(const Json& value);

class JsonObject {
 public:
  // `value` must outlive this. Messages call the object `kind`.
  JsonObject(std::string_view kind, const Json& value);

  bool has(const char* member) const;
  std::string text(const char* member);
  std::optional<std::string> optional_text(const char* member);
  double number(const char* member);
  std::int64_t integer(const char* member);
  std::optional<std::int64_t> optional_integer(const char* member);
  bool truth(const char* member);
  const Json& member(const char* member);  // null if it is missing

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
