// push_answer.h - the answer of a board's method as the values that a script gets.
//
// An answer owns no memory, since pushing may raise. A list or a text stays in call buffers
// (call_buffers.h), or in the answer of a remote.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <lua.hpp>

#include "bindings/lua/args.h"
#include "bindings/values/push_entry.h"
#include "board/standings/standings.h"

namespace laurel {

// An array of entries; with `certain`, also whether they are certainly exact.
struct EntryList {
  const Entries* entries;
  std::optional<bool> certain = {};
  const EntryExtras* extras = nullptr;
};
// The entries that a call has read, as an answer that outlives the next change of the board.
inline EntryList list_of(const Standings& board, CallBuffers& buffers) {
  buffers.extras.read_of_board(board, buffers.entries);
  buffers.own_entries();
  return {.entries = &buffers.entries, .extras = &buffers.extras};
}

// Entries around a score, and the rank of a newcomer with it.
struct RankedList : EntryList {
  Rank rank;
};

// The first of a list, or nil.
struct FirstEntry {
  const Entries* entries;
  const EntryExtras* extras = nullptr;
};

// Each pushes an answer and returns how many values it is.
inline int push_answer(lua_State* L, bool answer) {
  lua_pushboolean(L, answer);
  return 1;
}
inline int push_answer(lua_State* L, std::uint64_t number) {
  push_number(L, static_cast<double>(number));
  return 1;
}
inline int push_answer(lua_State* L, Rank rank) {
  push_number(L, static_cast<double>(rank));
  return 1;
}
inline int push_answer(lua_State* L, const std::optional<double>& number) {
  push_optional(L, number);
  return 1;
}
inline int push_answer(lua_State* L, const std::optional<std::string_view>& text) {
  if (text) {
    push(L, *text);
  } else {
    lua_pushnil(L);
  }
  return 1;
}
// rank, size
int push_answer(lua_State* L, const std::optional<Standing>& standing);
int push_answer(lua_State* L, const EntryList& list);
int push_answer(lua_State* L, const RankedList& list);
int push_answer(lua_State* L, const FirstEntry& first);
int push_answer(lua_State* L, std::span<const std::string> strings);
int push_answer(lua_State* L, std::span<const std::uint64_t> numbers);
// A change, or nil.
int push_answer(lua_State* L, const Change* change);
// score, changed; nil, false if the board does not show the player
inline int push_answer(lua_State* L, const Outcome& outcome) {
  push_optional(L, outcome.score);
  lua_pushboolean(L, outcome.changed);
  return 2;
}
// As an outcome, on a board with columns.
struct ColumnOutcome {
  ColumnValues values;
  bool is_shown;
  bool changed;
};
Result<ColumnOutcome> in_columns(const ScoreColumns& columns, const Result<Outcome>& outcome);
int push_answer(lua_State* L, const ColumnOutcome& outcome);
// A score, or nil. It is read while no Lua code runs.
struct ScoreAnswer {
  std::optional<double> score;
  const ScoreColumns* columns;  // null: a number
};
// Makes no table: each column is a value of its own.
int push_answer(lua_State* L, const ScoreAnswer& answer);
// Such a score as one value: a number, or the table of the values if there are any.
struct ScoreTable {
  std::optional<double> number;
  std::optional<ColumnValues> values;
};
ScoreTable score_table(const std::optional<double>& score, const ScoreColumns* columns);
int push_answer(lua_State* L, const ScoreTable& score);
struct ShownLayout {
  PagedLayout pages;
  ScoreTable lowest;
};
int push_answer(lua_State* L, const ShownLayout& layout);
// The answer, or nil, reason.
template <typename Answer>
int push_answer(lua_State* L, const Result<Answer>& result) {
  return result ? push_answer(L, *result) : refuse(L, result.refusal());
}

}  // namespace laurel
