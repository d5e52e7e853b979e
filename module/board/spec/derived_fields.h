// derived_fields.h - the fields of orders that are derived from a board's own: segments, cohorts,
// and boards that are made from other boards. How their values are read and shown (spec_fields.h).
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "board/spec/spec.h"

namespace laurel {

Status take_segments(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_segments(const Spec& spec);
Status take_cohorts(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_cohorts(const Spec& spec);

// ---- combined boards

Status take_sources(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_sources(const Spec& spec);
Status take_weights(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_weights(const Spec& spec);
Status take_least(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_least(const Spec& spec);

// ---- boards of groups

Status take_source(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_source(const Spec& spec);
Status take_group(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_group(const Spec& spec);
Status take_best(Spec& spec, std::string_view field, const FieldValue& value);
std::optional<FieldValue> give_best(const Spec& spec);

}  // namespace laurel
