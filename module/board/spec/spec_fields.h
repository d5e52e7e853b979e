// spec_fields.h - the table of spec fields: name, engines, how a value is read and shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/spec/spec.h"

namespace laurel {

// A set of engines: bit i is the kind with that number.
using EngineSet = std::uint8_t;
constexpr EngineSet set_of(EngineKind kind) {
  return static_cast<EngineSet>(1U << static_cast<unsigned>(kind));
}
inline constexpr EngineSet kEveryEngine = (1U << kEngineKinds) - 1;
// The engines of boards that players submit to.
inline constexpr EngineSet kEveryOwnEngine =
    kEveryEngine & ~(set_of(EngineKind::combined) | set_of(EngineKind::groups));

struct SpecField {
  std::string_view name;
  EngineSet engines;  // those that have the field
  bool stored_order;  // how entries are stored: cannot change while the board exists
  Status (*take)(Spec& spec, std::string_view field, const FieldValue& value);
  std::optional<FieldValue> (*give)(const Spec& spec);
};

// In the order of the manual.
std::span<const SpecField> spec_fields();

std::string_view word(EngineKind engine);

}  // namespace laurel
