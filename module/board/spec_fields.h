// spec_fields.h - the fields of a spec, one by one: name, who has it, how its value is read and
// shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/spec.h"

namespace laurel {

// Engines as a set: bit i stands for the kind of that number.
using EngineSet = std::uint8_t;
constexpr EngineSet set_of(EngineKind kind) {
  return static_cast<EngineSet>(1U << static_cast<unsigned>(kind));
}
inline constexpr EngineSet kEveryEngine = 0x3F;

struct SpecField {
  std::string_view name;
  EngineSet engines;  // those whose boards have the field
  bool stored_order;  // describes how entries are kept: cannot change while the board lives
  Status (*take)(Spec& spec, std::string_view field, const FieldValue& value);
  std::optional<FieldValue> (*give)(const Spec& spec);
};

// In the order of the manual.
std::span<const SpecField> spec_fields();

std::string_view word(EngineKind engine);
// The value as messages show it: text in quotes.
std::string show(const FieldValue& value);

}  // namespace laurel
