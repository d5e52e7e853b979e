#include "bindings/values/push_entry.h"

#include <optional>
#include <string_view>

#include "bindings/lua/table.h"

namespace laurel {

namespace {

constexpr int kEntryFields = 9;

// As set_number and set_text, but the field's name is the string at stack index `name`.
void set_number_at(lua_State* L, int name, double value) {
  lua_pushvalue(L, name);
  push_number(L, value);
  lua_rawset(L, -3);
}

void set_text_at(lua_State* L, int name, std::string_view value) {
  lua_pushvalue(L, name);
  push(L, value);
  lua_rawset(L, -3);
}

// Pushes { name = score } with the scores of entry `i`, if there are boards.
void push_with(lua_State* L, const EntryExtras& extras, std::size_t i) {
  const std::size_t boards = extras.boards.size();
  lua_createtable(L, 0, static_cast<int>(boards));
  for (std::size_t board = 0; board < boards; ++board) {
    const std::optional<double>& score = extras.scores[i * boards + board];
    if (!score) continue;
    push(L, extras.boards[board]);
    push_score_of(L, *score, extras.columns_of[board].get());
    lua_rawset(L, -3);
  }
}

void push_moved(lua_State* L, const Moved& moved, const ScoreColumns* columns) {
  push_window_entry(L, moved.entry, columns);
  set_score(L, "previous", moved.previous, columns);
  set_number(L, "previous_rank", static_cast<double>(moved.previous_rank));
}

}  // namespace

void push_entry(lua_State* L, const Entry& entry, const EntryExtras* extras) {
  lua_createtable(L, 0, 4);
  set_text(L, "player", entry.player);
  set_score(L, "score", entry.score, extras == nullptr ? nullptr : extras->columns.get());
  set_number(L, "rank", static_cast<double>(entry.rank));
  set_time(L, "at", entry.at);
  if (entry.data) set_text(L, "data", *entry.data);
  if (entry.overall != 0) set_number(L, "overall", static_cast<double>(entry.overall));
  if (extras == nullptr) return;
  if (!extras->names.empty() && !extras->names[0].empty()) set_text(L, "name", extras->names[0]);
  if (extras->with) {
    push_with(L, *extras, 0);
    lua_setfield(L, -2, "with");
  }
  if (!extras->rank_changes.empty()) {
    set_optional_number(L, "rank_change", extras->rank_changes[0]);
  }
}

void push_optional(lua_State* L, const std::optional<double>& number) {
  if (number) {
    push_number(L, *number);
  } else {
    lua_pushnil(L);
  }
}

void push_score(lua_State* L, const std::optional<double>& score, const ScoreColumns* columns) {
  if (score) {
    push_score_of(L, *score, columns);
  } else {
    lua_pushboolean(L, 0);  // nil would end an array
  }
}

void push_refused(lua_State* L, const std::vector<RefusedItem>& refused) {
  push_array(L, refused, [](lua_State* state, const RefusedItem& item) {
    lua_createtable(state, 0, 2);
    set_number(state, "index", static_cast<double>(item.index));
    set_text(state, "reason", item.refusal.text());
  });
}

// The tables are those of push_entry. The names of the fields are pushed once, which is faster than
// making them for each entry.
void push_entries(lua_State* L, const Entries& entries, const EntryExtras* extras) {
  luaL_checkstack(L, kEntryFields + 4, "for entries");
  const int names = lua_gettop(L) + 1;
  for (const char* name : {"player", "score", "rank", "at", "data", "overall"}) {
    lua_pushstring(L, name);
  }
  const bool named = extras != nullptr && !extras->names.empty();
  const bool with = extras != nullptr && extras->with;
  const ScoreColumns* const columns = extras == nullptr ? nullptr : extras->columns.get();
  const bool marked = extras != nullptr && !extras->rank_changes.empty();
  if (named || with || marked) {
    lua_pushliteral(L, "name");
    lua_pushliteral(L, "with");
    lua_pushliteral(L, "rank_change");
  }
  const int fields = 4 + (named ? 1 : 0) + (with ? 1 : 0) + (marked ? 1 : 0);
  std::size_t i = 0;
  push_array(L, entries, [=](lua_State* state, const Entry& entry) mutable {
    lua_createtable(state, 0, fields);
    set_text_at(state, names, entry.player);
    if (columns == nullptr) {
      set_number_at(state, names + 1, entry.score);
    } else {
      lua_pushvalue(state, names + 1);
      push_score_of(state, entry.score, columns);
      lua_rawset(state, -3);
    }
    set_number_at(state, names + 2, static_cast<double>(entry.rank));
    set_number_at(state, names + 3, seconds_from_time(entry.at));
    if (entry.data) set_text_at(state, names + 4, *entry.data);
    if (entry.overall != 0) {
      set_number_at(state, names + 5, static_cast<double>(entry.overall));
    }
    if (named && !extras->names[i].empty()) set_text_at(state, names + 6, extras->names[i]);
    if (with) {
      lua_pushvalue(state, names + 7);
      push_with(state, *extras, i);
      lua_rawset(state, -3);
    }
    if (marked && extras->rank_changes[i]) {
      set_number_at(state, names + 8, *extras->rank_changes[i]);
    }
    ++i;
  });
  lua_replace(L, names);
  lua_settop(L, names);
}

void push_change(lua_State* L, const Change& change) {
  lua_createtable(L, 0, 8);
  set_text(L, "player", change.player);
  set_text(L, "board", change.board);
  const ScoreColumns* const columns = change.columns.get();
  if (change.score) set_score(L, "score", *change.score, columns);
  if (change.previous) set_score(L, "previous", *change.previous, columns);
  set_optional_number(L, "rank", change.rank);
  set_optional_number(L, "previous_rank", change.previous_rank);
  set_number(L, "passed", static_cast<double>(change.passed));
  set_time(L, "at", change.at);
}

void push_window_entry(lua_State* L, const WindowEntry& entry, const ScoreColumns* columns) {
  lua_createtable(L, 0, 4);
  set_text(L, "player", entry.player);
  if (entry.name) set_text(L, "name", *entry.name);
  set_score(L, "score", entry.score, columns);
  set_number(L, "rank", static_cast<double>(entry.rank));
  set_optional_time(L, "at", entry.at);
  if (entry.data) set_text(L, "data", *entry.data);
  set_optional_number(L, "rank_change", entry.rank_change);
}

void push_window_entries(lua_State* L, const std::vector<WindowEntry>& entries,
                         const ScoreColumns* columns) {
  push_array(L, entries, [columns](lua_State* state, const WindowEntry& entry) {
    push_window_entry(state, entry, columns);
  });
}

void push_watch_event(lua_State* L, const WatchEvent& event) {
  lua_createtable(L, 0, 6);
  set_text(L, "board", event.board);
  set_number(L, "version", static_cast<double>(event.top->version));
  const ScoreColumns* const columns = event.top->columns.get();
  push_window_entries(L, event.top->entries, columns);
  lua_setfield(L, -2, "top");
  push_window_entries(L, event.entered, columns);
  lua_setfield(L, -2, "entered");
  push_window_entries(L, event.left, columns);
  lua_setfield(L, -2, "left");
  push_array(L, event.moved, [columns](lua_State* state, const Moved& moved) {
    push_moved(state, moved, columns);
  });
  lua_setfield(L, -2, "moved");
}

}  // namespace laurel
