#include "bindings/values/push_spec.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/limits.h"
#include "bindings/lua/args.h"
#include "board/spec/cohort_form.h"
#include "board/spec/segment_names.h"
#include "board/spec/source_list.h"
#include "board/spec/spec_change.h"

namespace laurel {

namespace {

constexpr std::string_view kColumnsPrefix = "columns.";
constexpr std::string_view kSegmentsPrefix = "segments.";
constexpr std::string_view kCohortsPrefix = "cohorts.";
constexpr std::string_view kSourcesPrefix = "sources.";
constexpr std::string_view kWeightsPrefix = "weights.";
static_assert(kColumnsMax < 10, "a place has one digit");

void push_value(lua_State* L, const ShownField& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    push(L, *text);
  } else if (const auto* number = std::get_if<double>(&field.value)) {
    push_number(L, *number);
  } else {
    lua_pushboolean(L, std::get<bool>(field.value));
  }
}

// Pushes the table in a field of the table on top of the stack; makes it if it does not exist.
void push_nested(lua_State* L, const char* field) {
  lua_getfield(L, -1, field);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, field);
}

}  // namespace

namespace {

// As columns.1.name and so on.
void copy_columns(const ScoreColumns& columns, std::vector<ShownField>& out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ScoreColumn& column = columns[i];
    const auto add = [&](std::string_view part, std::variant<std::string, double, bool> value) {
      out.push_back({fmt::format("{}{}.{}", kColumnsPrefix, i + 1, part), std::move(value)});
    };
    add("name", column.name);
    add("order", std::string(word(column.order)));
    add("decimals", static_cast<double>(column.decimals));
    add("min", column.min);
    add("max", column.max);
  }
}

// As segments.1, segments.2 and so on.
template <typename Value>
void copy_array(std::string_view prefix, const std::vector<Value>& values,
                std::vector<ShownField>& out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back({fmt::format("{}{}", prefix, i + 1), values[i]});
  }
}

void copy_segments(const Spec& spec, std::vector<ShownField>& out) {
  const Result<std::vector<std::string>> names = parse_segments(spec.segments);
  if (names) copy_array(kSegmentsPrefix, *names, out);
}

// A pattern as it is.
void copy_sources(const Spec& spec, std::vector<ShownField>& out) {
  const Result<SourceList> sources = SourceList::parse(spec.sources);
  if (!sources) return;
  if (sources->is_pattern()) out.push_back({"sources", spec.sources});
  copy_array(kSourcesPrefix, sources->names(), out);
}

void copy_weights(const Spec& spec, std::vector<ShownField>& out) {
  const Result<std::vector<double>> weights = parse_weights(spec.weights);
  if (weights) copy_array(kWeightsPrefix, *weights, out);
}

// As a number, or as cohorts.size and cohorts.by.
void copy_cohorts(const Spec& spec, std::vector<ShownField>& out) {
  const CohortForm form = cohorts_of(spec);
  const double size = form.size;
  if (form.by.empty()) return out.push_back({"cohorts", size});
  out.push_back({fmt::format("{}size", kCohortsPrefix), size});
  out.push_back({fmt::format("{}by", kCohortsPrefix), form.by});
}

// Sets the element of an array in the table on top of the stack.
void set_element(lua_State* L, const char* array, std::string_view prefix,
                 const ShownField& field) {
  push_nested(L, array);
  push_value(L, field);
  lua_rawseti(L, -2, std::atoi(field.name.c_str() + prefix.size()));
  lua_pop(L, 1);
}

// Sets the field of a column in the table `columns` of the table on top of the stack.
void set_column_field(lua_State* L, const ShownField& field) {
  const char* const rest = field.name.c_str() + kColumnsPrefix.size();
  const int place = *rest - '0';
  push_nested(L, "columns");
  lua_rawgeti(L, -1, place);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, place);
  }
  push_value(L, field);
  lua_setfield(L, -2, rest + 2);
  lua_pop(L, 2);
}

}  // namespace

void copy_fields(const Spec& spec, std::vector<ShownField>& out) {
  each_field(spec, [&](std::string_view field, const FieldValue& value) {
    if (field == "columns") return copy_columns(*spec.columns, out);
    if (field == "segments") return copy_segments(spec, out);
    if (field == "cohorts") return copy_cohorts(spec, out);
    if (field == "sources") return copy_sources(spec, out);
    if (field == "weights") return copy_weights(spec, out);
    ShownField shown_field{std::string(field), false};
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      shown_field.value = std::string(*text);
    } else if (const auto* number = std::get_if<double>(&value)) {
      shown_field.value = *number;
    } else {
      shown_field.value = std::get<bool>(value);
    }
    out.push_back(std::move(shown_field));
  });
}

void set_fields(lua_State* L, const std::vector<ShownField>& fields) {
  constexpr std::string_view kWindow = "window.";
  for (const ShownField& field : fields) {
    if (field.name.starts_with(kColumnsPrefix)) {
      set_column_field(L, field);
      continue;
    }
    if (field.name.starts_with(kSourcesPrefix)) {
      set_element(L, "sources", kSourcesPrefix, field);
      continue;
    }
    if (field.name.starts_with(kWeightsPrefix)) {
      set_element(L, "weights", kWeightsPrefix, field);
      continue;
    }
    if (field.name.starts_with(kSegmentsPrefix)) {
      set_element(L, "segments", kSegmentsPrefix, field);
      continue;
    }
    const bool of_window = field.name.starts_with(kWindow);
    const bool of_cohorts = field.name.starts_with(kCohortsPrefix);
    const bool nested = of_window || of_cohorts;
    if (nested) push_nested(L, of_window ? "window" : "cohorts");
    push_value(L, field);
    const std::size_t prefix = of_cohorts ? kCohortsPrefix.size() : kWindow.size();
    lua_setfield(L, -2, field.name.c_str() + (nested ? prefix : 0));
    if (nested) lua_pop(L, 1);
  }
}

}  // namespace laurel
