// read_items.h - reads lists of results from scripts; each item is a table.
//
//   parts    of an item: { "anna", 10, "data", 123.5, "id" } by position, as submit_all takes them,
//            or { player = "anna", score = 10, at = 123.5 } by name, as in entries, which have no
//            id.
//   score    a number, or a table if the board that is called has columns (column_values.h).
//   views    of an item's strings are valid as long as the list lives and no Lua code runs.
#pragma once

#include "bindings/lua/args.h"
#include "bindings/values/call_buffers.h"
#include "board/standings/change.h"

namespace laurel {

// Describes an invalid item, for the error message.
struct WrongItem {
  int item = 0;                // from 1; 0: all items are valid
  const char* part = nullptr;  // null: the item is not a table
  const char* expected = "table";
  const char* got = nullptr;  // null: the columns of its score are wrong
};

inline constexpr int kByPosition = 0;
// Pushes the names of the parts and returns their stack index. Call it before the items are read,
// since making a string may run finalizers.
int push_part_names(lua_State* L);

// The fast path, in one pass: appends to out.submissions the items of argument 1, a table, if it is
// an array of valid items whose keys come in order. If not, returns false and may have appended
// some items. Never raises.
bool read_plain_items(const Call& call, int names, CallBuffers& out);
// Appends to out.submissions the items of argument 1, an array, up to the first invalid one.
// `names` is kByPosition, or the stack index that push_part_names returned. Never raises.
WrongItem read_items(const Call& call, int names, CallBuffers& out);

// bad argument #1 to 'submit_all' (item 3: score: number expected, got string)
// `names` is as for read_items.
[[noreturn]] void raise_item(const Call& call, int names, const WrongItem& wrong);

}  // namespace laurel
