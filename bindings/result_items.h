// result_items.h - lists of results as scripts give them, each item a table.
//
//   parts    of an item: { "anna", 10, "data", 123.5 } by position, as submit_all takes them, or
//            { player = "anna", score = 10, at = 123.5 } by name, as entries are.
//   views    of what the items name live as long as the list does and nothing of Lua runs.
#pragma once

#include <vector>

#include "bindings/lua_args.h"
#include "board/change.h"

namespace laurel {

// What is wrong with an item, as the complaint words it.
struct WrongItem {
  int item = 0;                // 0: nothing is
  const char* part = nullptr;  // null: it is no table
  const char* expected = "table";
  const char* got = nullptr;
};

inline constexpr int kByPosition = 0;
// Pushes the names of the parts and returns their stack index. Before the reading, since a string's
// making may run finalizers.
int push_part_names(lua_State* L);

// Appends the items of argument 1, a table, if it is an array of good items whose keys come in
// order, as most do: in one pass. If not, fails, and has appended some of them. Never raises.
bool read_plain_items(const Call& call, int names, std::vector<Submission>& out);
// Appends the items of argument 1, an array, up to the first wrong one. Parts are where `names`
// says: kByPosition, or by the names that stand at that stack index. Never raises.
WrongItem read_items(const Call& call, int names, std::vector<Submission>& out);

// bad argument #1 to 'submit_all' (item 3: score: number expected, got string)
[[noreturn]] void raise_item(const Call& call, const WrongItem& wrong);

}  // namespace laurel
