#include "remote/dynamodb/net/json_item.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "base/encoding.h"

namespace laurel::dynamodb {

namespace {

const Json* value_at(const Json& item, const char* attribute, const char* type) {
  const Json* typed = member(item, attribute);
  return typed == nullptr ? nullptr : member(*typed, type);
}

const std::string* string_at(const Json& item, const char* attribute, const char* type) {
  const Json* value = value_at(item, attribute, type);
  return value == nullptr ? nullptr : value->get_ptr<const std::string*>();
}

template <typename Number>
std::optional<Number> parsed(const std::string* text) {
  if (text == nullptr) return std::nullopt;
  Number number{};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

}  // namespace

Json text_value(std::string_view utf8) { return Json{{"S", std::string(utf8)}}; }
Json number_value(std::int64_t number) { return Json{{"N", std::to_string(number)}}; }
Json decimal_value(std::string_view number) { return Json{{"N", std::string(number)}}; }
Json bytes_value(std::string_view bytes) { return Json{{"B", to_base64(bytes)}}; }
Json truth_value(bool truth) { return Json{{"BOOL", truth}}; }
Json double_value(double number) { return decimal_value(fmt::format("{}", number)); }
Json list_value(std::span<const double> numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(double_value(number));
  return Json{{"L", std::move(list)}};
}
Json any_text_value(std::string_view bytes) {
  return is_utf8(bytes) ? text_value(bytes) : bytes_value(bytes);
}

// DynamoDB's range: 0, or a size from 1e-130 to below 1e126.
bool is_number(double number) {
  const double size = std::fabs(number);
  return number == 0 || (size >= 1e-130 && size < 1e126);
}

std::optional<std::string> text_at(const Json& item, const char* attribute) {
  const std::string* text = string_at(item, attribute, "S");
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::int64_t> integer_at(const Json& item, const char* attribute) {
  return parsed<std::int64_t>(string_at(item, attribute, "N"));
}

std::optional<std::uint64_t> whole_at(const Json& item, const char* attribute) {
  return parsed<std::uint64_t>(string_at(item, attribute, "N"));
}

std::optional<double> number_at(const Json& item, const char* attribute) {
  return parsed<double>(string_at(item, attribute, "N"));
}

std::optional<std::string> bytes_at(const Json& item, const char* attribute) {
  const std::string* text = string_at(item, attribute, "B");
  return text == nullptr ? std::nullopt : from_base64(*text);
}

std::optional<std::string> any_text_at(const Json& item, const char* attribute) {
  auto text = text_at(item, attribute);
  return text ? text : bytes_at(item, attribute);
}

bool truth_at(const Json& item, const char* attribute) {
  const Json* value = value_at(item, attribute, "BOOL");
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const Json* list_at(const Json& item, const char* attribute) {
  const Json* value = value_at(item, attribute, "L");
  return value != nullptr && value->is_array() ? value : nullptr;
}

const Json* map_at(const Json& item, const char* attribute) {
  const Json* value = value_at(item, attribute, "M");
  return value != nullptr && value->is_object() ? value : nullptr;
}

bool has(const Json& item, const char* attribute) { return member(item, attribute) != nullptr; }

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Json& items_of(const Json& answer) {
  const Json* items = member(answer, "Items");
  static const Json& none = *new Json;  // a remote's thread may read it while the process ends
  return items != nullptr && items->is_array() ? *items : none;
}

}  // namespace laurel::dynamodb
