#include "board/spec/derived_fields.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "board/spec/field_value.h"
#include "board/spec/segment_names.h"
#include "board/spec/source_list.h"

namespace laurel {

Status take_segments(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (is_false(value)) {
    spec.segments.clear();
    return Done{};
  }
  if (text == nullptr) {
    return not_allowed(field, value, "names of attributes such as \"country,clan\", or false");
  }
  const Result<std::vector<std::string>> names = parse_segments(*text);
  if (!names) return names.refusal();
  spec.segments = *text_of_segments(*names);
  return Done{};
}

std::optional<FieldValue> give_segments(const Spec& spec) {
  if (spec.segments.empty()) return std::nullopt;
  return std::string_view(spec.segments);
}

// ---- combined boards

Status take_sources(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) {
    return not_allowed(field, value, "names of boards, or a pattern such as \"lap_*\"");
  }
  const Result<SourceList> sources = SourceList::parse(*text);
  if (!sources) return sources.refusal();
  spec.sources = sources->text();
  return Done{};
}

std::optional<FieldValue> give_sources(const Spec& spec) {
  if (spec.sources.empty()) return std::nullopt;
  return std::string_view(spec.sources);
}

Status take_weights(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  const auto* number = std::get_if<double>(&value);
  if (text == nullptr && number == nullptr) {
    return not_allowed(field, value, "a number for each source");
  }
  const Result<std::vector<double>> weights =
      parse_weights(text != nullptr ? std::string(*text) : fmt::format("{}", *number));
  if (!weights) return weights.refusal();
  spec.weights = text_of_weights(*weights);
  return Done{};
}

std::optional<FieldValue> give_weights(const Spec& spec) {
  if (spec.weights.empty()) return std::nullopt;
  return std::string_view(spec.weights);
}

Status take_least(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr || !(*number > 0) || !std::isfinite(*number)) {
    return not_allowed(field, value, "a number above 0");
  }
  spec.least = *number;
  return Done{};
}

std::optional<FieldValue> give_least(const Spec& spec) {
  if (spec.least == 0) return std::nullopt;
  return spec.least;
}

}  // namespace laurel
