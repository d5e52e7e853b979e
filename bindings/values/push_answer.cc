#include "bindings/values/push_answer.h"

#include "bindings/lua/table.h"

namespace laurel {

int push_answer(lua_State* L, const std::optional<Standing>& standing) {
  if (!standing) {
    lua_pushnil(L);
    return 1;
  }
  push_number(L, static_cast<double>(standing->rank));
  push_number(L, static_cast<double>(standing->size));
  return 2;
}

int push_answer(lua_State* L, const EntryList& list) {
  push_entries(L, *list.entries, list.extras);
  if (!list.certain) return 1;
  lua_pushboolean(L, *list.certain);
  return 2;
}

int push_answer(lua_State* L, const RankedList& list) {
  push_entries(L, *list.entries, list.extras);
  return 1 + push_answer(L, list.rank);
}

int push_answer(lua_State* L, const FirstEntry& first) {
  if (first.entries->empty()) {
    lua_pushnil(L);
  } else {
    push_entry(L, first.entries->front(), first.extras);
  }
  return 1;
}

int push_answer(lua_State* L, std::span<const std::string> strings) {
  push_array(L, strings, [](lua_State* state, const std::string& text) { push(state, text); });
  return 1;
}

int push_answer(lua_State* L, std::span<const std::uint64_t> numbers) {
  push_array(L, numbers, [](lua_State* state, std::uint64_t number) {
    push_number(state, static_cast<double>(number));
  });
  return 1;
}

Result<ColumnOutcome> in_columns(const ScoreColumns& columns, const Result<Outcome>& outcome) {
  if (!outcome) return outcome.refusal();
  ColumnOutcome shown{.values = {.values = {}, .count = 0},
                      .is_shown = outcome->score.has_value(),
                      .changed = outcome->changed};
  if (outcome->score) shown.values = columns.values(*outcome->score);
  return shown;
}

int push_answer(lua_State* L, const ColumnOutcome& outcome) {
  if (outcome.is_shown) {
    push_values(L, outcome.values);
  } else {
    lua_pushnil(L);
  }
  lua_pushboolean(L, outcome.changed);
  return 2;
}

int push_answer(lua_State* L, const ScoreAnswer& answer) {
  if (!answer.score || answer.columns == nullptr) return push_answer(L, answer.score);
  const ColumnValues values = answer.columns->values(*answer.score);
  for (const double value : values.all()) push_number(L, value);
  return static_cast<int>(values.count);
}

ScoreTable score_table(const std::optional<double>& score, const ScoreColumns* columns) {
  ScoreTable table{.number = score, .values = std::nullopt};
  if (score && columns != nullptr) table.values = columns->values(*score);
  return table;
}

int push_answer(lua_State* L, const ScoreTable& score) {
  if (!score.values) return push_answer(L, score.number);
  push_values(L, *score.values);
  return 1;
}

int push_answer(lua_State* L, const ShownLayout& layout) {
  lua_createtable(L, 0, 4);
  set_number(L, "layers", static_cast<double>(layout.pages.layers));
  set_number(L, "manifests", static_cast<double>(layout.pages.manifests));
  set_number(L, "entry_sets", static_cast<double>(layout.pages.entry_sets));
  push_answer(L, layout.lowest);
  lua_setfield(L, -2, "lowest");
  return 1;
}

int push_answer(lua_State* L, const Change* change) {
  if (change == nullptr) {
    lua_pushnil(L);
  } else {
    push_change(L, *change);
  }
  return 1;
}

}  // namespace laurel
