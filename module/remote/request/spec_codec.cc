#include "remote/request/spec_codec.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "board/spec/field_value.h"
#include "board/spec/spec_change.h"
#include "board/spec/spec_fields.h"

namespace laurel {

namespace {

std::string text_of(const FieldValue& value) {
  if (const auto* words = std::get_if<std::string_view>(&value)) return std::string(*words);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<bool>(value) ? "true" : "false";
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// No field takes both text and numbers.
Status set_field(SpecChange& change, const std::string& field, const std::string& text) {
  Status taken = change.set(field, std::string_view(text));
  if (taken) return taken;
  const std::optional<double> number = number_of(text);
  return number ? change.set(field, *number) : taken;
}

// What a remote's spec may change under a server, and the value of a field that is not there.
struct MutableField {
  std::string_view name;
  std::optional<FieldValue> absent = {};
};
const MutableField kMutableFields[] = {
    {"reset", false},
    {"zone", std::string_view("UTC")},
    {"archive"},
    {"opens", false},
    {"closes", false},
    {"duration", false},
    {"join"},
    {"ranking"},
    {"attempts", false},
    {"capacity", false},
};

const std::string* find_field(const SpecText& spec, std::string_view field) {
  const auto found = std::ranges::find(spec, field, [](const auto& each) { return each.first; });
  return found == spec.end() ? nullptr : &found->second;
}

}  // namespace

SpecText text_of(const Spec& spec) {
  SpecText text;
  each_stored_field(spec, [&](std::string_view field, const FieldValue& value) {
    if (field == "remote") return;
    text.emplace_back(std::string(field), text_of(value));
  });
  return text;
}

Result<Spec> spec_of(const SpecText& text, const std::string& remote) {
  SpecChange change;
  for (const auto& [field, value] : text) {
    if (const Status taken = set_field(change, field, value); !taken) {
      return Refusal(Code::bad_data, "{}", taken.refusal().message());
    }
  }
  Result<Spec> spec = change.create();
  if (!spec) return Refusal(Code::bad_data, "{}", spec.refusal().message());
  spec->remote = remote;
  return spec;
}

bool same_mutable_fields(const SpecText& a, const SpecText& b) {
  return std::ranges::all_of(kMutableFields, [&](const MutableField& field) {
    const std::string* const in_a = find_field(a, field.name);
    const std::string* const in_b = find_field(b, field.name);
    return in_a == nullptr || in_b == nullptr ? in_a == in_b : *in_a == *in_b;
  });
}

Result<Spec> with_mutable_fields(const Spec& spec, const SpecText& there) {
  SpecChange change;
  for (const auto& [name, absent] : kMutableFields) {
    const std::string* const value = find_field(there, name);
    Status taken = Done{};
    if (value != nullptr) taken = set_field(change, std::string(name), *value);
    if (value == nullptr && absent) taken = change.set(name, *absent);
    if (!taken) return Refusal(Code::bad_data, "{}", taken.refusal().message());
  }
  Result<Spec> changed = change.update(spec);
  if (!changed) return Refusal(Code::bad_data, "{}", changed.refusal().message());
  return changed;
}

std::optional<std::string> difference(const SpecChange& change, const Spec& there) {
  std::optional<std::string> difference;
  change.each_given([&](std::string_view name, const FieldValue& given) {
    if (difference || name == "remote") return;
    const auto fields = spec_fields();
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const SpecField& each) { return each.name == name; });
    if (!field->stored_order || (field->engines & set_of(there.engine)) == 0) return;
    const FieldValue stands = field->give(there).value_or(FieldValue(false));
    if (given == stands) return;
    const auto shown = [](const FieldValue& value) {
      return value == FieldValue(false) ? std::string("none") : show(value);
    };
    difference = fmt::format("field '{}' is {} in the remote and {} here", name, shown(stands),
                             shown(given));
  });
  return difference;
}

}  // namespace laurel
