#include "board/spec/field_value.h"

#include "base/text.h"

namespace laurel {

std::string show(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return fmt::format("\"{}\"", escaped(*text, 128));
  }
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<bool>(value) ? "true" : "false";
}

Refusal not_allowed(std::string_view field, const FieldValue& value, std::string_view allowed) {
  return {Code::invalid, "field '{}' is {}; it takes {}", field, show(value), allowed};
}

bool is_false(const FieldValue& value) {
  const bool* truth = std::get_if<bool>(&value);
  return truth != nullptr && !*truth;
}

}  // namespace laurel
