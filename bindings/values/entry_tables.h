// entry_tables.h - makes the tables of entries from the values of their fields.
//
//   shape    the fields that the tables of a list have. A field without a value in one of them is
//            nil there.
//   how      by a function in Lua for each shape, { player = player, score = score, ... }, made
//            when it is first needed and kept in the module's table. Lua copies a template with
//            all keys, which takes half as long as setting each field through Lua's C interface.
//   hooks    while a debug hook is set, the tables are made through the C interface. So no hook
//            stops, or raises an error, while a call has borrowed buffers.
//   source   lj_tab_dup of LuaJIT 2.1 and BC_TDUP, which the parser makes of such an expression
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include <lua.hpp>

#include "bindings/lua/table.h"

namespace laurel {

// In the order in which the values are pushed.
enum class EntryField : unsigned {
  player,
  score,
  rank,
  at,
  data,
  overall,
  name,
  with,
  rank_change,
  previous,
  previous_rank
};
inline constexpr std::array kEntryFieldNames = {"player",      "score",    "rank",         "at",
                                                "data",        "overall",  "name",         "with",
                                                "rank_change", "previous", "previous_rank"};

class EntryShape {
 public:
  template <std::same_as<EntryField>... Fields>
  constexpr explicit EntryShape(Fields... fields) : bits_((0U | ... | bit(fields))) {}

  constexpr bool has(EntryField field) const { return (bits_ & bit(field)) != 0; }
  constexpr void add(EntryField field, bool also = true) { bits_ |= also ? bit(field) : 0; }
  // A number of its own for each shape, above 0.
  constexpr int number() const { return static_cast<int>(bits_); }

 private:
  static constexpr unsigned bit(EntryField field) { return 1U << static_cast<unsigned>(field); }

  unsigned bits_;
};

// For each table: begin(), push a value for each field of the shape, finish(). All may raise.
class EntryTables {
 public:
  // Pushes what the tables are made with. REQUIRES: the state has opened the module.
  EntryTables(lua_State* L, EntryShape shape);

  void begin();
  // Pops the values, and pushes the table.
  void finish();
  // After the last table: what is on top is left in place of all that was pushed since.
  void leave_top();

 private:
  lua_State* L_;
  int made_with_;  // stack index of the function, or of the first of the names
  int fields_ = 0;
  bool hooked_;
};

// Pushes an array of a table for each item. push_fields(item, index) pushes the fields of one.
template <typename List, typename PushFields>
void push_tables(lua_State* L, const List& list, EntryShape shape, PushFields push_fields) {
  EntryTables tables(L, shape);
  std::size_t i = 0;
  push_array(L, list, [&](lua_State*, const auto& item) {
    tables.begin();
    push_fields(item, i++);
    tables.finish();
  });
  tables.leave_top();
}

}  // namespace laurel
