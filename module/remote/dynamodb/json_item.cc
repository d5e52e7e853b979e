#include "remote/dynamodb/json_item.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <boost/locale/utf.hpp>
#include <fmt/format.h>

#include "base/immortal.h"

namespace laurel::dynamodb {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  namespace it = boost::archive::iterators;
  using Digits = it::base64_from_binary<it::transform_width<const char*, 6, 8>>;
  std::string text(Digits(bytes.data()), Digits(bytes.data() + bytes.size()));
  return text.append((3 - bytes.size() % 3) % 3, '=');
}

std::optional<std::string> from_base64(std::string_view text) {
  namespace it = boost::archive::iterators;
  using Bytes = it::transform_width<it::binary_from_base64<const char*>, 8, 6>;
  const std::size_t digits = std::min(text.find('='), text.size());
  const std::size_t padding = text.size() - digits;
  if (text.size() % 4 != 0 || padding > 2) return std::nullopt;
  if (text.substr(0, digits).find_first_not_of(kDigits) != std::string_view::npos ||
      text.substr(digits).find_first_not_of('=') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string whole(text.substr(0, digits));
  whole.append(padding, kDigits.front());
  std::string bytes(Bytes(whole.data()), Bytes(whole.data() + whole.size()));
  bytes.resize(bytes.size() - padding);
  return bytes;
}

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
Json any_text_value(std::string_view bytes) {
  return is_utf8(bytes) ? text_value(bytes) : bytes_value(bytes);
}

// From 1e-130 to below 1e126, on both sides of zero.
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
  return items != nullptr && items->is_array() ? *items : immortal_empty<Json>();
}

bool is_utf8(std::string_view bytes) {
  namespace utf = boost::locale::utf;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    const utf::code_point point = utf::utf_traits<char>::decode(at, end);
    if (point == utf::illegal || point == utf::incomplete) return false;
  }
  return true;
}

}  // namespace laurel::dynamodb
