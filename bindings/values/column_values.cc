#include "bindings/values/column_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "bindings/lua/type_name.h"

namespace laurel {

namespace {

template <typename... Args>
bool fails(ShortText& problem, fmt::format_string<Args...> format, Args&&... args) {
  constexpr std::size_t kMost = sizeof problem.text - 1;
  const auto end = fmt::format_to_n(problem.text, kMost, format, std::forward<Args>(args)...).size;
  problem.text[std::min(end, kMost)] = '\0';
  return false;
}

bool fails_unknown(const ScoreColumns& columns, std::string_view name, ShortText& problem) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < columns.size(); ++i) names.push_back(columns[i].name);
  return fails(problem, "no column is called \"{}\"; there are {}", escaped(name, 64),
               one_of(names));
}

// A table that is being read.
struct GivenColumns {
  std::array<bool, kColumnsMax> given{};
  bool by_place = false;
  bool by_name = false;
};

// Reads one item: its value is on top of the stack, its key below.
bool read_item(lua_State* L, const ScoreColumns& columns, GivenColumns& table, ColumnValues& out,
               ShortText& problem) {
  std::size_t column = 0;
  if (lua_type(L, -2) == LUA_TSTRING) {
    const std::string_view name = Call::string_at(L, -2);
    const std::optional<std::size_t> found = columns.find(name);
    if (!found) return fails_unknown(columns, name, problem);
    column = *found;
    table.by_name = true;
  } else {
    const double place = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
    if (!(place >= 1) || place != std::floor(place)) {
      return fails(problem, "columns are given by place or by name, got a key that is a {}",
                   type_name(L, -2));
    }
    if (place > static_cast<double>(columns.size())) {
      return fails(problem, "there are {} columns, got one at place {}", columns.size(), place);
    }
    column = static_cast<std::size_t>(place) - 1;
    table.by_place = true;
  }
  if (table.by_name && table.by_place) {
    return fails(problem, "columns are given by place or by name, not both");
  }
  if (lua_type(L, -1) != LUA_TNUMBER) {
    return fails(problem, "column '{}': number expected, got {}", columns[column].name,
                 type_name(L, -1));
  }
  out.values[column] = score_at(L, -1);
  table.given[column] = true;
  return true;
}

}  // namespace

bool read_values(lua_State* L, int index, const ScoreColumns& columns, LaterColumns later,
                 ColumnValues& out, ShortText& problem) {
  if (!lua_istable(L, index)) {
    return fails(problem, "table expected, got {}",
                 lua_isnone(L, index) ? "nil" : type_name(L, index));
  }
  const int top = lua_gettop(L);
  GivenColumns table;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    if (!read_item(L, columns, table, out, problem)) {
      lua_settop(L, top);
      return false;
    }
    lua_pop(L, 1);
  }
  const std::span<const bool> given(table.given.data(), columns.size());
  out.count = static_cast<std::size_t>(std::ranges::find(given, false) - given.begin());
  const bool whole = out.count == columns.size();
  const auto rest = given.subspan(out.count);
  if (whole || (later == LaterColumns::open && std::ranges::count(rest, true) == 0)) return true;
  return fails(problem, "column '{}' is missing", columns[out.count].name);
}

void read_columns(const Call& call, int argument, Submission& out, ColumnValues& values) {
  ShortText problem;
  if (!read_values(call.L, call.index(argument), *call.columns, LaterColumns::required, values,
                   problem)) {
    call.bad(argument, "%s", problem.text);
  }
  out.set_values(*call.columns, values);
}

Status whole_score(const Call& call, const Submission& given, const ColumnValues& values,
                   double& score) {
  if (given.columns != nullptr) return call.columns->number(values).refusal();
  score = given.score;
  return Done{};
}

void push_values(lua_State* L, const ColumnValues& values) {
  lua_createtable(L, static_cast<int>(values.count), 0);
  int place = 0;
  for (const double value : values.all()) {
    push_number(L, value);
    lua_rawseti(L, -2, ++place);
  }
}

void push_score_of(lua_State* L, double score, const ScoreColumns* columns) {
  if (columns == nullptr) {
    push_number(L, score);
  } else {
    push_values(L, columns->values(score));
  }
}

void set_score(lua_State* L, const char* field, double score, const ScoreColumns* columns) {
  push_score_of(L, score, columns);
  lua_setfield(L, -2, field);
}

}  // namespace laurel
