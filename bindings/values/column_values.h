// column_values.h - scores of several columns, as the tables that scripts give and get.
//
//   table    an array in the columns' order; as an argument it may have the columns' names instead:
//            { 12, 53.21 } or { laps = 12, seconds = 53.21 }.
//   reading  never raises and makes no value in Lua, so it can run no finalizer.
#pragma once

#include <lua.hpp>

#include "bindings/lua/args.h"
#include "board/standings/change.h"
#include "rank/score/score_columns.h"

namespace laurel {

enum class LaterColumns : std::uint8_t { required, open };

// Reads the value at the stack index. Returns false and says why in `problem` if it is not a table
// of a number for each column; with LaterColumns::open, columns may be left out at the end.
bool read_values(lua_State* L, int index, const ScoreColumns& columns, LaterColumns later,
                 ColumnValues& out, ShortText& problem);

// Reads a score of the columns of the board that is called.
[[gnu::cold]] void read_columns(const Call& call, int argument, Submission& out,
                                ColumnValues& values);
// Reads a score: of a number, or of columns if the board that is called has them. `values` is for
// the submission, and must outlive it.
inline void read_score(const Call& call, int argument, Submission& out, ColumnValues& values) {
  if (call.columns == nullptr) {
    out.score = call.score(argument);
  } else {
    read_columns(call, argument, out, values);
  }
}
// What read_score() has read as one number (rank/score/score_columns.h), for a read. Fails as
// ScoreColumns::number().
Status whole_score(const Call& call, const Submission& given, const ColumnValues& values,
                   double& score);

// Pushes an array of the values.
void push_values(lua_State* L, const ColumnValues& values);
// Pushes a score of a board with these columns; null: a number.
void push_score_of(lua_State* L, double score, const ScoreColumns* columns);
// Sets a field of the table on top of the stack.
void set_score(lua_State* L, const char* field, double score, const ScoreColumns* columns);

}  // namespace laurel
