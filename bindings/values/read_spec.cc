#include "bindings/values/read_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "bindings/lua/type_name.h"
#include "board/spec/segment_names.h"
#include "board/spec/source_list.h"

namespace laurel {

namespace {

// For a field whose value has an unsupported type: returns the refusal of its name, or nothing if
// the name is right. The name is wrong if values of two types are refused with the same text.
std::optional<Refusal> wrong_name(std::string_view field) {
  SpecChange probe;
  const Status one = probe.set(field, true);
  const Status other = probe.set(field, 1.5);
  if (one || other || one.refusal().text() != other.refusal().text()) return std::nullopt;
  return one.refusal();
}

constexpr std::array<std::string_view, 2> kWindowParts = {"buckets", "seconds"};

constexpr std::array<std::string_view, 2> kCohortsParts = {"size", "by"};

// The field takes a table with these parts.
Refusal unknown_part(std::string_view field, std::string_view part,
                     std::span<const std::string_view> parts) {
  const std::string_view meant = nearest(part, parts);
  if (meant.empty()) {
    return {Code::invalid, "field '{}' has no '{}'; it takes {}", field, escaped(part, 64),
            one_of(parts)};
  }
  return {Code::invalid, "field '{}' has no '{}'; did you mean '{}'?", field, escaped(part, 64),
          meant};
}

Refusal wrong_type_of_part(lua_State* L, std::string_view field, std::string_view part,
                           std::string_view expected) {
  return {Code::invalid,   "field '{}': '{}': {} expected, got {}", field, part, expected,
          type_name(L, -1)};
}

// The name of a part, below its value on top of the stack; of a key that is not a name, its type.
std::string_view part_name(lua_State* L) {
  return lua_type(L, -2) == LUA_TSTRING ? Call::string_at(L, -2) : type_name(L, -2);
}

// Reads one part of a window: its value is on top of the stack, its name below.
Status take_window_part(lua_State* L, SpecChange& spec) {
  const std::string_view part = part_name(L);
  if (std::ranges::find(kWindowParts, part) == kWindowParts.end()) {
    return unknown_part("window", part, kWindowParts);
  }
  if (lua_type(L, -1) != LUA_TNUMBER) return wrong_type_of_part(L, "window", part, "number");
  return spec.set(fmt::format("window.{}", part), lua_tonumber(L, -1));
}

// Reads `window`, the table on top of the stack, into the two fields of the spec.
Status take_window(lua_State* L, SpecChange& spec) {
  if (!lua_istable(L, -1)) {
    return Refusal(Code::invalid, "field 'window': table expected, got {}", type_name(L, -1));
  }
  bool empty = true;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    Status taken = take_window_part(L, spec);
    lua_pop(L, taken ? 1 : 2);
    if (!taken) return taken;
    empty = false;
  }
  if (!empty) return Done{};
  return Refusal(Code::invalid, "field 'window' is empty; it takes {}", one_of(kWindowParts));
}

constexpr std::array<std::string_view, 5> kColumnParts = {"name", "order", "decimals", "min",
                                                          "max"};

Refusal wrong_part(std::size_t place, std::string_view part, std::string_view expected,
                   std::string_view got) {
  return {
      Code::invalid, "field 'columns': {}: '{}': {} expected, got {}", place, part, expected, got};
}

// Reads one part of a column: its value is on top of the stack, its name below.
Status take_column_part(lua_State* L, std::size_t place, ScoreColumn& column) {
  const std::string_view part = part_name(L);
  const int type = lua_type(L, -1);
  if (part == "name" || part == "order") {
    if (type != LUA_TSTRING) return wrong_part(place, part, "string", type_name(L, -1));
    const std::string_view text = Call::string_at(L, -1);
    if (part == "name") {
      column.name = text;
    } else if (text == word(Order::desc) || text == word(Order::asc)) {
      column.order = text == word(Order::desc) ? Order::desc : Order::asc;
    } else {
      return Refusal(Code::invalid,
                     "field 'columns': {}: 'order' is \"{}\"; it takes \"desc\" or \"asc\"", place,
                     escaped(text, 64));
    }
    return Done{};
  }
  if (std::ranges::find(kColumnParts, part) == kColumnParts.end()) {
    const std::string_view meant = nearest(part, kColumnParts);
    return Refusal(Code::invalid, "field 'columns': {}: a column has no '{}'; {}", place,
                   escaped(part, 64),
                   meant.empty() ? "it takes " + one_of(kColumnParts)
                                 : fmt::format("did you mean '{}'?", meant));
  }
  if (type != LUA_TNUMBER) return wrong_part(place, part, "number", type_name(L, -1));
  const double number = lua_tonumber(L, -1);
  if (part == "min") column.min = number;
  if (part == "max") column.max = number;
  if (part != "decimals") return Done{};
  if (!(number >= 0 && number <= kDecimalsMax) || number != std::floor(number)) {
    return Refusal(Code::invalid,
                   "field 'columns': {}: 'decimals' is {}; it takes a whole number from 0 to {}",
                   place, shown(number), kDecimalsMax);
  }
  column.decimals = static_cast<int>(number);
  return Done{};
}

// Reads a column, the table on top of the stack.
Status take_column(lua_State* L, std::size_t place, ScoreColumn& column) {
  if (!lua_istable(L, -1)) {
    return Refusal(Code::invalid, "field 'columns': {}: table expected, got {}", place,
                   type_name(L, -1));
  }
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    Status taken = take_column_part(L, place, column);
    lua_pop(L, taken ? 1 : 2);
    if (!taken) return taken;
  }
  return Done{};
}

// Reads `columns`, the table on top of the stack, an array of tables.
Status take_columns(lua_State* L, SpecChange& spec) {
  std::vector<ScoreColumn> columns;
  const std::size_t length = raw_length(L, -1);
  std::size_t keys = 0;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    ++keys;
    lua_pop(L, 1);
  }
  if (keys != length) return Refusal(Code::invalid, "field 'columns' takes an array of columns");
  for (std::size_t place = 1; place <= length && place <= kColumnsMax + 1; ++place) {
    lua_rawgeti(L, -1, static_cast<int>(place));
    Status taken = take_column(L, place, columns.emplace_back());
    lua_pop(L, 1);
    if (!taken) return taken;
  }
  const Result<ScoreColumns::Ptr> made = ScoreColumns::make(std::move(columns));
  return made ? spec.set("columns", (*made)->text()) : made.refusal();
}

// ---- fields that are arrays

// Reads an array of values of this type, the table on top of the stack: calls take(value) for each,
// which is then on top of the stack.
template <typename Take>
Status take_array(lua_State* L, std::string_view field, int type, const char* expected, Take take) {
  const std::size_t length = raw_length(L, -1);
  if (length > kSourcesMax) {
    return Refusal(Code::invalid, "field '{}' has {} values; it takes at most {}", field, length,
                   kSourcesMax);
  }
  for (std::size_t place = 1; place <= length; ++place) {
    lua_rawgeti(L, -1, static_cast<int>(place));
    const bool fits = lua_type(L, -1) == type;
    Status taken = Done{};
    if (fits) {
      take();
    } else {
      taken = Refusal(Code::invalid, "field '{}': {}: {} expected, got {}", field, place, expected,
                      type_name(L, -1));
    }
    lua_pop(L, 1);
    if (!taken) return taken;
  }
  return Done{};
}

Status take_names(lua_State* L, std::string_view field, std::vector<std::string>& names) {
  return take_array(L, field, LUA_TSTRING, "string",
                    [&] { names.emplace_back(Call::string_at(L, -1)); });
}

Status take_sources(lua_State* L, SpecChange& spec) {
  std::vector<std::string> names;
  if (const Status read = take_names(L, "sources", names); !read) return read;
  const Result<SourceList> sources = SourceList::of_names(std::move(names));
  return sources ? spec.set("sources", sources->text()) : sources.refusal();
}

Status take_weights(lua_State* L, SpecChange& spec) {
  std::vector<double> weights;
  const Status read = take_array(L, "weights", LUA_TNUMBER, "number",
                                 [&] { weights.push_back(lua_tonumber(L, -1)); });
  return read ? spec.set("weights", text_of_weights(weights)) : read;
}

Status take_segments(lua_State* L, SpecChange& spec) {
  std::vector<std::string> names;
  if (const Status read = take_names(L, "segments", names); !read) return read;
  const Result<std::string> text = text_of_segments(names);
  return text ? spec.set("segments", *text) : text.refusal();
}

struct GivenCohorts {
  std::optional<double> size;
  std::optional<std::string> by;
};

// Reads one part of cohorts: its value is on top of the stack, its name below.
Status take_cohorts_part(lua_State* L, GivenCohorts& cohorts) {
  const std::string_view part = part_name(L);
  if (part == "size") {
    if (lua_type(L, -1) != LUA_TNUMBER) return wrong_type_of_part(L, "cohorts", part, "number");
    cohorts.size = lua_tonumber(L, -1);
  } else if (part == "by") {
    if (lua_type(L, -1) != LUA_TSTRING) return wrong_type_of_part(L, "cohorts", part, "string");
    cohorts.by = Call::string_at(L, -1);
  } else {
    return unknown_part("cohorts", part, kCohortsParts);
  }
  return Done{};
}

// Reads the table on top of the stack: { size = 30, by = "league" }.
Status take_cohorts(lua_State* L, SpecChange& spec) {
  GivenCohorts cohorts;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    Status taken = take_cohorts_part(L, cohorts);
    lua_pop(L, taken ? 1 : 2);
    if (!taken) return taken;
  }
  if (!cohorts.size) return Refusal(Code::invalid, "field 'cohorts' takes a 'size'");
  if (!cohorts.by) return spec.set("cohorts", *cohorts.size);
  return spec.set("cohorts", std::string_view(fmt::format("{},{}", *cohorts.size, *cohorts.by)));
}

// Reads one field: its value is on top of the stack, its name below.
Status take_field(const Call& call, SpecChange& spec) {
  lua_State* L = call.L;
  const std::string_view field = Call::string_at(L, -2);
  if (field == "window") return take_window(L, spec);
  if (field == "columns" && lua_istable(L, -1)) return take_columns(L, spec);
  if (field == "sources" && lua_istable(L, -1)) return take_sources(L, spec);
  if (field == "weights" && lua_istable(L, -1)) return take_weights(L, spec);
  if (field == "segments" && lua_istable(L, -1)) return take_segments(L, spec);
  if (field == "cohorts" && lua_istable(L, -1)) return take_cohorts(L, spec);
  switch (lua_type(L, -1)) {
    case LUA_TSTRING: return spec.set(field, Call::string_at(L, -1));
    case LUA_TNUMBER: return spec.set(field, lua_tonumber(L, -1));
    case LUA_TBOOLEAN: return spec.set(field, lua_toboolean(L, -1) != 0);
    default: break;
  }
  if (const std::optional<Refusal> refusal = wrong_name(field)) return *refusal;
  return Refusal(Code::invalid, "field '{}': string, number or boolean expected, got {}",
                 escaped(field, 64), type_name(L, -1));
}

}  // namespace

Status read_spec(const Call& call, int argument, SpecChange& out) {
  lua_State* L = call.L;
  out = SpecChange{};
  lua_pushnil(L);
  while (lua_next(L, call.index(argument)) != 0) {
    Status taken =
        lua_type(L, -2) == LUA_TSTRING
            ? take_field(call, out)
            : Refusal(Code::invalid, "the names of fields are strings, got a {}", type_name(L, -2));
    lua_pop(L, taken ? 1 : 2);
    if (!taken) return taken;
  }
  return Done{};
}

}  // namespace laurel
