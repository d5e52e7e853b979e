#include "transfer/json_line.h"

#include "base/encoding.h"
#include "base/text.h"

namespace laurel {

namespace {

constexpr const char* kBase64 = "base64";

}  // namespace

Json json_text(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  return Json{{kBase64, to_base64(bytes)}};
}

std::optional<std::string> text_of(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return *text;
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const auto found = value.find(kBase64);
  if (found == value.end() || !found->is_string()) return std::nullopt;
  return from_base64(*found->get_ptr<const std::string*>());
}

JsonObject::JsonObject(std::string_view kind, const Json& value) : kind_(kind), value_(value) {
  if (!value.is_object()) damage_ = Refusal(Code::bad_data, "{} is not an object", kind_);
}

const Json* JsonObject::find(const char* member) const {
  if (!value_.is_object()) return nullptr;
  const auto found = value_.find(member);
  return found == value_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonObject::has(const char* member) const { return find(member) != nullptr; }

const Json& JsonObject::member(const char* member) {
  static const Json kMissing;
  const Json* value = find(member);
  return value == nullptr ? kMissing : *value;
}

std::optional<std::string> JsonObject::optional_text(const char* member) {
  const Json* value = find(member);
  if (value == nullptr) return std::nullopt;
  std::optional<std::string> text = text_of(*value);
  if (!text) fail(member, "text");
  return text;
}

std::string JsonObject::text(const char* member) {
  if (!has(member)) fail(member, "text");
  return optional_text(member).value_or("");
}

double JsonObject::number(const char* member) {
  const Json* value = find(member);
  if (value != nullptr && value->is_number()) return value->get<double>();
  fail(member, "a number");
  return 0;
}

std::optional<std::int64_t> JsonObject::optional_integer(const char* member) {
  const Json* value = find(member);
  if (value == nullptr) return std::nullopt;
  // The parser reads a number above INT64_MAX as unsigned, or as a float.
  if (value->is_number_integer() &&
      !(value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX})) {
    return value->get<std::int64_t>();
  }
  fail(member, "a whole number");
  return std::nullopt;
}

std::int64_t JsonObject::integer(const char* member) {
  if (!has(member)) fail(member, "a whole number");
  return optional_integer(member).value_or(0);
}

bool JsonObject::truth(const char* member) {
  const Json* value = find(member);
  if (value != nullptr && value->is_boolean()) return value->get<bool>();
  fail(member, "true or false");
  return false;
}

void JsonObject::fail(std::string_view member, std::string_view expected) {
  if (damage_) return;
  damage_ = Refusal(Code::bad_data, "{}: '{}' takes {}", kind_, member, expected);
}

Status JsonObject::status() const {
  if (damage_) return *damage_;
  return Done{};
}

}  // namespace laurel
