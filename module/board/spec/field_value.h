// field_value.h - what readers of fields share: how a value is shown, refused and taken off.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "board/spec/spec.h"

namespace laurel {

// The value as messages show it, text in quotes.
std::string show(const FieldValue& value);
// The refusal of a value. `allowed` says what the field takes.
Refusal not_allowed(std::string_view field, const FieldValue& value, std::string_view allowed);
// Whether an optional field is taken off.
bool is_false(const FieldValue& value);

}  // namespace laurel
