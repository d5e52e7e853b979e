// json_item.h - items of a table: typed attributes in DynamoDB's JSON format.
//
//   value     {"S": "text"}, {"N": "12.5"}, {"B": "base64"}, {"BOOL": true}, {"L": [...]}, {"M":
//             {...}}.
//   item      a JSON object of such values by attribute name.
//   reading   a missing or damaged attribute, or one of another type, reads as nothing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace laurel::dynamodb {

using Json = nlohmann::json;

Json text_value(std::string_view utf8);
Json number_value(std::int64_t number);
Json decimal_value(std::string_view number);
Json bytes_value(std::string_view bytes);
Json truth_value(bool truth);
// A finite number as its shortest decimal. is_number() says whether DynamoDB can store that size.
Json double_value(double number);
// A list of such numbers.
Json list_value(std::span<const double> numbers);
bool is_number(double number);
// Text; if it is not valid UTF-8, it is stored as bytes.
Json any_text_value(std::string_view bytes);

std::optional<std::string> text_at(const Json& item, const char* attribute);
std::optional<std::int64_t> integer_at(const Json& item, const char* attribute);
std::optional<std::uint64_t> whole_at(const Json& item, const char* attribute);
std::optional<double> number_at(const Json& item, const char* attribute);
std::optional<std::string> bytes_at(const Json& item, const char* attribute);
std::optional<std::string> any_text_at(const Json& item, const char* attribute);
bool truth_at(const Json& item, const char* attribute);
const Json* list_at(const Json& item, const char* attribute);  // of values
const Json* map_at(const Json& item, const char* attribute);   // a nested item
bool has(const Json& item, const char* attribute);

// A member of any JSON object; null if there is none.
const Json* member(const Json& object, const char* name);

// The items of an answer; empty if it has none.
const Json& items_of(const Json& answer);

}  // namespace laurel::dynamodb
