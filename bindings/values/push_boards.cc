#include "bindings/values/push_boards.h"

#include "bindings/lua/table.h"
#include "board/spec/spec.h"

namespace laurel {

namespace {

void push_listed_columns(lua_State* L, const ScoreColumns& columns) {
  lua_createtable(L, static_cast<int>(columns.size()), 0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ScoreColumn& column = columns[i];
    lua_createtable(L, 0, 5);
    set_text(L, "name", column.name);
    set_text(L, "order", word(column.order));
    set_number(L, "decimals", column.decimals);
    set_number(L, "min", column.min);
    set_number(L, "max", column.max);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

void push_listed_board(lua_State* L, const ListedBoard& listed) {
  const BoardDescription& description = listed.description;
  lua_createtable(L, 0, 8);
  set_text(L, "board", listed.board);
  set_text(L, "order", word(description.order));
  set_optional_number(L, "decimals", description.decimals);
  if (description.columns) {
    push_listed_columns(L, *description.columns);
    lua_setfield(L, -2, "columns");
  }
  set_text(L, "ranking", word(description.ranking));
  set_optional_text(L, "meta", description.meta);
  set_number(L, "size", static_cast<double>(listed.size));
  if (description.season != 0) set_number(L, "season", static_cast<double>(description.season));
  set_optional_time(L, "resets_at", description.resets_at);
  set_optional_time(L, "closes_at", description.closes_at);
}

}  // namespace

void push_boards(lua_State* L, const ListedBoards& boards) {
  push_array(L, boards, push_listed_board);
}

}  // namespace laurel
