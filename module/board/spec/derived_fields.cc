#include "board/spec/derived_fields.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/limits.h"
#include "board/spec/cohort_form.h"
#include "board/spec/field_value.h"
#include "board/spec/segment_names.h"
#include "board/spec/source_list.h"
#include "profile/attributes.h"

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

Status take_cohorts(Spec& spec, std::string_view field, const FieldValue& value) {
  if (is_false(value)) {
    spec.cohorts.clear();
    return Done{};
  }
  const double* number = std::get_if<double>(&value);
  const auto* text = std::get_if<std::string_view>(&value);
  std::optional<CohortForm> form;
  if (number != nullptr) form = parse_cohorts(fmt::format("{}", *number));
  if (text != nullptr) form = parse_cohorts(*text);
  if (!form) {
    return not_allowed(field, value,
                       fmt::format("the size of a cohort, {} to {} players, also with the name of "
                                   "an attribute: size and by; or false for none",
                                   kCohortSizeMin, kCohortSizeMax));
  }
  spec.cohorts = text_of_cohorts(*form);
  return Done{};
}

std::optional<FieldValue> give_cohorts(const Spec& spec) {
  if (spec.cohorts.empty()) return std::nullopt;
  const CohortForm form = cohorts_of(spec);
  if (form.by.empty()) return static_cast<double>(form.size);
  return std::string_view(spec.cohorts);
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

// ---- boards of groups

Status take_source(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr || text->empty()) return not_allowed(field, value, "the name of a board");
  spec.source = *text;
  return Done{};
}

std::optional<FieldValue> give_source(const Spec& spec) {
  if (spec.source.empty()) return std::nullopt;
  return std::string_view(spec.source);
}

Status take_group(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr || !check_attribute_name(*text)) {
    return not_allowed(
        field, value,
        fmt::format("the name of an attribute of players: 1 to {} bytes", kAttributeNameBytesMax));
  }
  spec.group = *text;
  return Done{};
}

std::optional<FieldValue> give_group(const Spec& spec) {
  if (spec.group.empty()) return std::nullopt;
  return std::string_view(spec.group);
}

Status take_best(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  if (is_false(value)) {
    spec.best = 0;
  } else if (number && *number >= 1 && *number <= kGroupBestMax && *number == std::floor(*number)) {
    spec.best = static_cast<std::size_t>(*number);
  } else {
    return not_allowed(
        field, value,
        fmt::format("a whole number from 1 to {}, or false for all members", kGroupBestMax));
  }
  return Done{};
}

std::optional<FieldValue> give_best(const Spec& spec) {
  if (spec.best == 0) return std::nullopt;
  return static_cast<double>(spec.best);
}

}  // namespace laurel
